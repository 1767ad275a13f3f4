package bakeoff.bench;

import bakeoff.directory.flat.Acl;
import bakeoff.directory.flat.DirectoryInfo;
import bakeoff.directory.proto.DirectoryInfoProtos;
import com.google.protobuf.InvalidProtocolBufferException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The cost of reading a serialised directory without a store. These are the benchmarks of the document that the suite
 * ozone-2020 repeats, with its names in {@code published/ozone-2020.csv}. A string read 20 times is among them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class SerialisationBenchmark {
    private static final int TIMES = 20;

    private final byte[] flat = SerialisedDirectory.flat();
    private final byte[] proto = SerialisedDirectory.proto();

    private DirectoryInfo ofFlat() {
        return DirectoryInfo.getRootAsDirectoryInfo(ByteBuffer.wrap(flat));
    }

    private DirectoryInfoProtos.DirectoryInfo ofProto() throws InvalidProtocolBufferException {
        return DirectoryInfoProtos.DirectoryInfo.parseFrom(proto);
    }

    /**
     * Invalidates everything read before, as if another thread might have changed it. Otherwise the compiler would read
     * a number once and reuse it. It generates no instruction on x86.
     */
    private static void forget() {
        VarHandle.loadLoadFence();
    }

    /** The object id. */
    @Benchmark
    public long accessOneLongFlat() {
        return ofFlat().objectId();
    }

    /** The object id. */
    @Benchmark
    public long accessOneLongProto() throws InvalidProtocolBufferException {
        return ofProto().getObjectId();
    }

    /** The name. */
    @Benchmark
    public String accessOneStringFlat() {
        return ofFlat().name();
    }

    /** The name. */
    @Benchmark
    public String accessOneStringProto() throws InvalidProtocolBufferException {
        return ofProto().getName();
    }

    /** All fields. */
    @Benchmark
    public void accessAllFieldsFlat(Blackhole hole) {
        DirectoryInfo info = ofFlat();
        hole.consume(info.objectId());
        hole.consume(info.parentId());
        hole.consume(info.updateId());
        hole.consume(info.creationTime());
        hole.consume(info.modificationTime());
        hole.consume(info.name());
        hole.consume(info.owner());
        hole.consume(info.group());
        hole.consume(info.permissions());
        for (int index = 0; index < info.aclsLength(); index++) {
            Acl acl = info.acls(index);
            hole.consume(acl.name());
            hole.consume(acl.type());
            hole.consume(acl.scope());
            hole.consume(acl.permissions());
        }
    }

    /** All fields. */
    @Benchmark
    public void accessAllFieldsProto(Blackhole hole) throws InvalidProtocolBufferException {
        DirectoryInfoProtos.DirectoryInfo info = ofProto();
        hole.consume(info.getObjectId());
        hole.consume(info.getParentId());
        hole.consume(info.getUpdateId());
        hole.consume(info.getCreationTime());
        hole.consume(info.getModificationTime());
        hole.consume(info.getName());
        hole.consume(info.getOwner());
        hole.consume(info.getGroup());
        hole.consume(info.getPermission());
        for (DirectoryInfoProtos.Acl acl : info.getAclsList()) {
            hole.consume(acl.getName());
            hole.consume(acl.getType());
            hole.consume(acl.getScope());
            hole.consume(acl.getPermissions());
        }
    }

    /** The object id of one object, 20 times. */
    @Benchmark
    public void oneLong20TimesFlat(Blackhole hole) {
        DirectoryInfo info = ofFlat();
        for (int index = 0; index < TIMES; index++) {
            forget();
            hole.consume(info.objectId());
        }
    }

    /** The object id of one object, 20 times. */
    @Benchmark
    public void oneLong20TimesProto(Blackhole hole) throws InvalidProtocolBufferException {
        DirectoryInfoProtos.DirectoryInfo info = ofProto();
        for (int index = 0; index < TIMES; index++) {
            forget();
            hole.consume(info.getObjectId());
        }
    }

    /** The name of one object, 20 times. */
    @Benchmark
    public void oneString20TimesFlat(Blackhole hole) {
        DirectoryInfo info = ofFlat();
        for (int index = 0; index < TIMES; index++) {
            forget();
            hole.consume(info.name());
        }
    }

    /** The name of one object, 20 times. */
    @Benchmark
    public void oneString20TimesProto(Blackhole hole) throws InvalidProtocolBufferException {
        DirectoryInfoProtos.DirectoryInfo info = ofProto();
        for (int index = 0; index < TIMES; index++) {
            forget();
            hole.consume(info.getName());
        }
    }
}
