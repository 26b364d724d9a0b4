use iobound_documents::Contract;
use serde_json::{Map, Value};

/// A JSON document with its schema first: what stands alone on standard output.
#[derive(Clone, Debug)]
pub struct Document {
    map: Map<String, Value>,
}

impl Document {
    /// The document as a value, its schema among its keys.
    pub fn into_value(self) -> Value {
        Value::Object(self.map)
    }

    /// The document's bytes, with a newline at their end.
    pub fn text(&self) -> String {
        format!("{:#}\n", Value::Object(self.map.clone()))
    }
}

/// A document as one line of JSON, its newline included.
pub(crate) fn line<C: Contract>(contract: &C) -> String {
    format!("{}\n", serde_json::to_string(contract).expect("its keys are strings"))
}

impl<C: Contract> From<C> for Document {
    fn from(contract: C) -> Document {
        match serde_json::to_value(contract) {
            Ok(Value::Object(map)) => Document { map },
            _ => unreachable!("a document is an object whose keys are strings"),
        }
    }
}
