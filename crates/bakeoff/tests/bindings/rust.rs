// Made by the test `lines_in_rust_are_those_that_are_compiled` of `bindings`: BAKEOFF_UPDATE=1 makes it again.

fn fjall_none() -> Result<(), Box<dyn std::error::Error>> {
    let db = fjall::Database::builder("records").cache_size(33554432).open()?;
    let options = fjall::KeyspaceCreateOptions::default();
    let options = options.max_memtable_size(67108864);
    let records = db.keyspace("records", || options)?;
    records.insert("key", "value")?;
    Ok(())
}

fn fjall_process() -> Result<(), Box<dyn std::error::Error>> {
    let db = fjall::Database::builder("records").cache_size(33554432).open()?;
    let options = fjall::KeyspaceCreateOptions::default();
    let options = options.max_memtable_size(67108864);
    let records = db.keyspace("records", || options)?;
    records.insert("key", "value")?;
    db.persist(fjall::PersistMode::Buffer)?;
    Ok(())
}

fn fjall_consistent() -> Result<(), Box<dyn std::error::Error>> {
    let db = fjall::Database::builder("records").cache_size(33554432).open()?;
    let options = fjall::KeyspaceCreateOptions::default();
    let options = options.max_memtable_size(67108864);
    let records = db.keyspace("records", || options)?;
    records.insert("key", "value")?;
    db.persist(fjall::PersistMode::SyncAll)?;
    Ok(())
}

fn fjall_power() -> Result<(), Box<dyn std::error::Error>> {
    let db = fjall::Database::builder("records").cache_size(33554432).open()?;
    let options = fjall::KeyspaceCreateOptions::default();
    let options = options.max_memtable_size(67108864);
    let records = db.keyspace("records", || options)?;
    records.insert("key", "value")?;
    db.persist(fjall::PersistMode::SyncAll)?;
    Ok(())
}

fn flat_folder_none() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    std::fs::rename("records/.new", "records/key")?;
    Ok(())
}

fn flat_folder_process() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    std::fs::rename("records/.new", "records/key")?;
    Ok(())
}

fn flat_folder_consistent() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    file.sync_all()?;
    std::fs::rename("records/.new", "records/key")?;
    std::fs::File::open("records")?.sync_all()?;
    Ok(())
}

fn flat_folder_power() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    file.sync_all()?;
    std::fs::rename("records/.new", "records/key")?;
    std::fs::File::open("records")?.sync_all()?;
    Ok(())
}

fn nested_folder_none() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    std::fs::rename("records/.new", "records/key")?;
    Ok(())
}

fn nested_folder_process() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    std::fs::rename("records/.new", "records/key")?;
    Ok(())
}

fn nested_folder_consistent() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    file.sync_all()?;
    std::fs::rename("records/.new", "records/key")?;
    std::fs::File::open("records")?.sync_all()?;
    Ok(())
}

fn nested_folder_power() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("records")?;
    let mut file = std::fs::File::create("records/.new")?;
    std::io::Write::write_all(&mut file, b"value")?;
    file.sync_all()?;
    std::fs::rename("records/.new", "records/key")?;
    std::fs::File::open("records")?.sync_all()?;
    Ok(())
}

fn redb_none() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = redb::Builder::new();
    let db = builder.set_cache_size(1073741824).create("records.redb")?;
    let records = redb::TableDefinition::<&[u8], &[u8]>::new("records");
    let mut txn = db.begin_write()?;
    txn.set_durability(redb::Durability::None)?;
    txn.open_table(records)?.insert(&b"key"[..], &b"value"[..])?;
    txn.commit()?;
    Ok(())
}

fn redb_consistent() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = redb::Builder::new();
    let db = builder.set_cache_size(1073741824).create("records.redb")?;
    let records = redb::TableDefinition::<&[u8], &[u8]>::new("records");
    let mut txn = db.begin_write()?;
    txn.set_durability(redb::Durability::Immediate)?;
    txn.open_table(records)?.insert(&b"key"[..], &b"value"[..])?;
    txn.commit()?;
    Ok(())
}

fn redb_power() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = redb::Builder::new();
    let db = builder.set_cache_size(1073741824).create("records.redb")?;
    let records = redb::TableDefinition::<&[u8], &[u8]>::new("records");
    let mut txn = db.begin_write()?;
    txn.set_durability(redb::Durability::Immediate)?;
    txn.open_table(records)?.insert(&b"key"[..], &b"value"[..])?;
    txn.commit()?;
    Ok(())
}

fn sqlite_none() -> Result<(), Box<dyn std::error::Error>> {
    let db = rusqlite::Connection::open("records.sqlite")?;
    db.pragma_update(None, "journal_mode", "memory")?;
    db.pragma_update(None, "synchronous", "off")?;
    db.pragma_update(None, "cache_size", -2000)?;
    Ok(())
}

fn sqlite_process() -> Result<(), Box<dyn std::error::Error>> {
    let db = rusqlite::Connection::open("records.sqlite")?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "off")?;
    db.pragma_update(None, "cache_size", -2000)?;
    Ok(())
}

fn sqlite_consistent() -> Result<(), Box<dyn std::error::Error>> {
    let db = rusqlite::Connection::open("records.sqlite")?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "normal")?;
    db.pragma_update(None, "cache_size", -2000)?;
    Ok(())
}

fn sqlite_power() -> Result<(), Box<dyn std::error::Error>> {
    let db = rusqlite::Connection::open("records.sqlite")?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "cache_size", -2000)?;
    Ok(())
}

const ALL: [(&str, fn() -> Result<(), Box<dyn std::error::Error>>); 19] = [
    ("fjall_none", fjall_none),
    ("fjall_process", fjall_process),
    ("fjall_consistent", fjall_consistent),
    ("fjall_power", fjall_power),
    ("flat_folder_none", flat_folder_none),
    ("flat_folder_process", flat_folder_process),
    ("flat_folder_consistent", flat_folder_consistent),
    ("flat_folder_power", flat_folder_power),
    ("nested_folder_none", nested_folder_none),
    ("nested_folder_process", nested_folder_process),
    ("nested_folder_consistent", nested_folder_consistent),
    ("nested_folder_power", nested_folder_power),
    ("redb_none", redb_none),
    ("redb_consistent", redb_consistent),
    ("redb_power", redb_power),
    ("sqlite_none", sqlite_none),
    ("sqlite_process", sqlite_process),
    ("sqlite_consistent", sqlite_consistent),
    ("sqlite_power", sqlite_power),
];
