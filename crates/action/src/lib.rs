//! The JSON action grammar: types, reader, schema.
