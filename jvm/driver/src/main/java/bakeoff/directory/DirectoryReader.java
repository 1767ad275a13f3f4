package bakeoff.directory;

import bakeoff.directory.flat.Acl;
import bakeoff.directory.flat.DirectoryInfo;
import bakeoff.directory.proto.DirectoryInfoProtos;
import com.google.protobuf.InvalidProtocolBufferException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads directories from values while the clock runs, with the libraries that a program would use. It keeps the object
 * id or all fields of each value read in a walk. It allocates only what these libraries allocate.
 */
public final class DirectoryReader {
    private static final VarHandle LITTLE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private int codec;
    private boolean allFields;
    private long objectId;
    private long state;

    /** Begins a walk with the properties in this field of its record ({@link Walk}). */
    public void begin(long walk) {
        codec = Walk.codec(walk);
        allFields = Walk.allFields(walk);
        objectId = 0;
        state = 0;
    }

    /** The id of the last directory read; 0, the root's, before the first. */
    public long objectId() {
        return objectId;
    }

    /** The state of the walk: the last id, or a checksum of all fields. */
    public long state() {
        return allFields ? state : objectId;
    }

    /** Reads a value at the beginning of an array. False if it is unreadable. */
    public boolean read(byte[] value, int length) {
        try {
            switch (codec) {
                case Walk.FLATBUFFERS -> readFlat(value, length);
                case Walk.PROTOBUF -> readProto(value, length);
                default -> {
                    if (length < Long.BYTES) {
                        return false;
                    }
                    objectId = (long) LITTLE.get(value, 0);
                }
            }
            return true;
        } catch (InvalidProtocolBufferException | RuntimeException unreadable) {
            // FlatBuffers throws various exceptions for wrong bytes, such as an index out of bounds or a missing text.
            return false;
        }
    }

    private void readFlat(byte[] value, int length) {
        DirectoryInfo info = DirectoryInfo.getRootAsDirectoryInfo(ByteBuffer.wrap(value, 0, length));
        if (allFields) {
            fold(info);
        }
        objectId = info.objectId();
    }

    private void fold(DirectoryInfo info) {
        long all = fold(fold(state, info.objectId()), info.updateId());
        all = fold(fold(fold(all, info.parentId()), info.creationTime()), info.modificationTime());
        all = fold(fold(fold(all, info.name()), info.owner()), info.group());
        int acls = info.aclsLength();
        all = fold(fold(all, info.permissions()), acls);
        for (int index = 0; index < acls; index++) {
            Acl acl = info.acls(index);
            all = fold(fold(fold(fold(all, acl.name()), acl.type()), acl.scope()), acl.permissions());
        }
        state = all;
    }

    private void readProto(byte[] value, int length) throws InvalidProtocolBufferException {
        DirectoryInfoProtos.DirectoryInfo info =
                DirectoryInfoProtos.DirectoryInfo.parser().parseFrom(value, 0, length);
        if (allFields) {
            fold(info);
        }
        objectId = info.getObjectId();
    }

    private void fold(DirectoryInfoProtos.DirectoryInfo info) {
        long all = fold(fold(state, info.getObjectId()), info.getUpdateId());
        all = fold(fold(fold(all, info.getParentId()), info.getCreationTime()), info.getModificationTime());
        all = fold(fold(fold(all, info.getName()), info.getOwner()), info.getGroup());
        all = fold(fold(all, info.getPermission()), info.getAclsCount());
        for (DirectoryInfoProtos.Acl acl : info.getAclsList()) {
            all = fold(fold(all, acl.getName()), acl.getType().getNumber());
            all = fold(fold(all, acl.getScope().getNumber()), acl.getPermissions());
        }
        state = all;
    }

    private static long fold(long state, long number) {
        return (Long.rotateLeft(state, 5) ^ number) * FACTOR;
    }

    /** Of a text, its length and both ends. */
    private static long fold(long state, String text) {
        int length = text.length();
        if (length == 0) {
            return fold(state, 0);
        }
        return fold(state, length | (long) text.charAt(0) << 48 | (long) text.charAt(length - 1) << 56);
    }
}
