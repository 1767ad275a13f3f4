package bakeoff.bench;

import bakeoff.directory.flat.Acl;
import bakeoff.directory.flat.AclScope;
import bakeoff.directory.flat.AclType;
import bakeoff.directory.flat.DirectoryInfo;
import bakeoff.directory.proto.DirectoryInfoProtos;
import com.google.flatbuffers.FlatBufferBuilder;

/**
 * The directory that the serialisation benchmarks of 2020 read. Its ids and name are longer than those in the tables of
 * that document.
 */
final class SerialisedDirectory {
    private static final long OBJECT_ID = 1_234_567_890L;
    private static final long PARENT_ID = 9_987_654_321L;
    private static final long TIME_MS = 1_600_000_000_000L;
    static final String NAME = "thisIsTheDirectoryName";
    private static final String OWNER = "sodonnell";
    private static final String GROUP = "hadoop-read-write";
    private static final String ACL_NAME = "otheruser";

    private SerialisedDirectory() {}

    static byte[] flat() {
        FlatBufferBuilder builder = new FlatBufferBuilder(256);
        int name = builder.createString(NAME);
        int owner = builder.createString(OWNER);
        int group = builder.createString(GROUP);
        int aclName = builder.createString(ACL_NAME);
        int[] acls = {
            Acl.createAcl(builder, aclName, AclType.USER, AclScope.DEFAULT, (short) 7),
            Acl.createAcl(builder, aclName, AclType.USER, AclScope.ACCESS, (short) 7),
        };
        int vector = DirectoryInfo.createAclsVector(builder, acls);
        DirectoryInfo.startDirectoryInfo(builder);
        DirectoryInfo.addCreationTime(builder, TIME_MS);
        DirectoryInfo.addModificationTime(builder, TIME_MS);
        DirectoryInfo.addObjectId(builder, OBJECT_ID);
        DirectoryInfo.addParentId(builder, PARENT_ID);
        DirectoryInfo.addUpdateId(builder, TIME_MS);
        DirectoryInfo.addName(builder, name);
        DirectoryInfo.addOwner(builder, owner);
        DirectoryInfo.addGroup(builder, group);
        DirectoryInfo.addPermissions(builder, (short) 755);
        DirectoryInfo.addAcls(builder, vector);
        builder.finish(DirectoryInfo.endDirectoryInfo(builder));
        return builder.sizedByteArray();
    }

    static byte[] proto() {
        return DirectoryInfoProtos.DirectoryInfo.newBuilder()
                .setCreationTime(TIME_MS)
                .setModificationTime(TIME_MS)
                .setUpdateId(TIME_MS)
                .setObjectId(OBJECT_ID)
                .setParentId(PARENT_ID)
                .setName(NAME)
                .setOwner(OWNER)
                .setGroup(GROUP)
                .setPermission(777)
                .addAcls(acl(DirectoryInfoProtos.AclScope.ACCESS))
                .addAcls(acl(DirectoryInfoProtos.AclScope.DEFAULT))
                .build()
                .toByteArray();
    }

    private static DirectoryInfoProtos.Acl acl(DirectoryInfoProtos.AclScope scope) {
        return DirectoryInfoProtos.Acl.newBuilder()
                .setName(ACL_NAME)
                .setType(DirectoryInfoProtos.AclType.USER)
                .setScope(scope)
                .setPermissions(7)
                .build();
    }
}
