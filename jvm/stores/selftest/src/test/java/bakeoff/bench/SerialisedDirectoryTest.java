package bakeoff.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.directory.flat.DirectoryInfo;
import bakeoff.directory.proto.DirectoryInfoProtos;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class SerialisedDirectoryTest {
    /** The document prints these two sizes. */
    @Test
    void sizesAreThoseOfTheDocument() {
        assertEquals(240, SerialisedDirectory.flat().length);
        assertEquals(128, SerialisedDirectory.proto().length);
    }

    @Test
    void bothHoldTheSame() throws Exception {
        DirectoryInfo flat = DirectoryInfo.getRootAsDirectoryInfo(ByteBuffer.wrap(SerialisedDirectory.flat()));
        DirectoryInfoProtos.DirectoryInfo proto =
                DirectoryInfoProtos.DirectoryInfo.parseFrom(SerialisedDirectory.proto());
        assertEquals(proto.getObjectId(), flat.objectId());
        assertEquals(proto.getName(), flat.name());
        assertEquals(proto.getAclsCount(), flat.aclsLength());
    }
}
