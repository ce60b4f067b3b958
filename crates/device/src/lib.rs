//! The software GPU as the whole machine shares it: a folder with the device's setup, memory, engines and users.
