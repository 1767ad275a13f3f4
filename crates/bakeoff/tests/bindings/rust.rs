const ALL: [(&str, fn() -> Result<(), Box<dyn std::error::Error>>); 0] = [];
