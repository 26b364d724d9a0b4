//! Preparation: what a run needs to be there before its first I/O, and what it may write over.
