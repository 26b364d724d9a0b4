//! What is written in the forms of other tools, and what is read of theirs.

mod diskspd_read;
mod diskspd_text;
mod diskspd_xml;
mod iometer_csv;
mod iometer_read;
mod published;
mod ran;
mod tree;
