//! The Python module `iobound`: the program's answers as plain dictionaries. What crosses here is text; the Python beside
//! (`python/iobound`) makes words of arguments, and dictionaries of documents.

// PyO3's macros expand to code of their own.
#![deny(unsafe_code)]

mod histogram;
mod program;
mod question;
mod trace;

use pyo3::prelude::*;

#[pymodule]
fn _iobound(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(question::ask, module)?)?;
    module.add_function(wrap_pyfunction!(program::program, module)?)?;
    module.add_function(wrap_pyfunction!(question::flags, module)?)?;
    module.add_function(wrap_pyfunction!(question::toml_of, module)?)?;
    module.add_function(wrap_pyfunction!(histogram::histogram, module)?)?;
    module.add_function(wrap_pyfunction!(histogram::merged, module)?)?;
    module.add_function(wrap_pyfunction!(histogram::of_hdr, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_table, module)?)?;
    module.add_function(wrap_pyfunction!(trace::write_trace_table, module)?)?;
    Ok(())
}
