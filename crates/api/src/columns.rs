/// The judgements a row carries. Built from the row's words: each word is a method of this type, so a word that is not
/// a column does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// What the interposer does with the call.
    pub policy: Policy,
    /// Whether the software GPU implements it.
    pub backend: Backend,
    /// The engine its work runs on.
    pub engine: Option<Engine>,
    /// Which argument is, or holds, the stream the work is ordered on.
    pub stream: Option<&'static str>,
    /// What a remote backend does with the call.
    pub class: Class,
    /// Whether it is legal while a stream of the thread is being captured.
    pub capture: bool,
    /// Whether some argument has no length that the row states.
    pub custom_wire: bool,
}

/// A set of policy words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy(u8);

impl Policy {
    /// Passed on as it is.
    pub const FORWARD: Policy = Policy(1);
    /// Reserves device memory before the driver is asked.
    pub const CHARGE: Policy = Policy(2);
    /// Gives device memory back.
    pub const RELEASE: Policy = Policy(4);
    /// Submits work: waits for its turn.
    pub const PACE: Policy = Policy(8);
    /// The result is the tenant's view, not the machine's.
    pub const ANSWER: Policy = Policy(16);
    /// Passed on as it is; the interposer has to know of it.
    pub const NOTE: Policy = Policy(32);

    /// Whether all words of `other` are in this set.
    pub const fn has(self, other: Policy) -> bool {
        self.0 & other.0 == other.0
    }

    const fn and(self, other: Policy) -> Policy {
        Policy(self.0 | other.0)
    }
}

/// Whether the software GPU implements a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// It does.
    Soft,
    /// It answers "not supported".
    Todo,
    /// It has no such part, so "not supported" is the true answer.
    Absent,
}

/// An engine of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Graphics and compute: kernels.
    Gr,
    /// Copy engine: copies and fills.
    Ce,
}

/// How a remote backend carries a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Answered in the calling process.
    Local,
    /// Sent without waiting: it has no outputs.
    Submit,
    /// Sent, then waits for the answer.
    Call,
}

/// Columns while their words are read. The class has no default: a row that does not say it does not compile.
pub struct Words {
    policy: Policy,
    backend: Option<Backend>,
    engine: Option<Engine>,
    stream: Option<&'static str>,
    class: Option<Class>,
    capture: bool,
    custom_wire: bool,
}

impl Words {
    /// No words yet.
    pub const NONE: Words = Words {
        policy: Policy(0),
        backend: None,
        engine: None,
        stream: None,
        class: None,
        capture: false,
        custom_wire: false,
    };

    /// Policy word.
    pub const fn forward(self) -> Words {
        self.policy(Policy::FORWARD)
    }

    /// Policy word.
    pub const fn charge(self) -> Words {
        self.policy(Policy::CHARGE)
    }

    /// Policy word.
    pub const fn release(self) -> Words {
        self.policy(Policy::RELEASE)
    }

    /// Policy word.
    pub const fn pace(self) -> Words {
        self.policy(Policy::PACE)
    }

    /// Policy word.
    pub const fn answer(self) -> Words {
        self.policy(Policy::ANSWER)
    }

    /// Policy word.
    pub const fn note(self) -> Words {
        self.policy(Policy::NOTE)
    }

    /// Backend word.
    pub const fn soft(mut self) -> Words {
        self.backend = Some(Backend::Soft);
        self
    }

    /// Backend word.
    pub const fn todo(mut self) -> Words {
        self.backend = Some(Backend::Todo);
        self
    }

    /// Backend word.
    pub const fn absent(mut self) -> Words {
        self.backend = Some(Backend::Absent);
        self
    }

    /// Engine word.
    pub const fn gr(mut self) -> Words {
        self.engine = Some(Engine::Gr);
        self
    }

    /// Engine word.
    pub const fn ce(mut self) -> Words {
        self.engine = Some(Engine::Ce);
        self
    }

    /// Names the stream argument.
    pub const fn stream(mut self, arg: &'static str) -> Words {
        self.stream = Some(arg);
        self
    }

    /// Class word.
    pub const fn local(self) -> Words {
        self.class(Class::Local)
    }

    /// Class word.
    pub const fn submit(self) -> Words {
        self.class(Class::Submit)
    }

    /// Class word.
    pub const fn call(self) -> Words {
        self.class(Class::Call)
    }

    /// Legal during capture.
    pub const fn capture(mut self) -> Words {
        self.capture = true;
        self
    }

    /// Carried by code of its own.
    pub const fn custom_wire(mut self) -> Words {
        self.custom_wire = true;
        self
    }

    /// The finished columns. Panics while compiling if a needed word is missing.
    pub const fn read(self) -> Columns {
        let (Some(backend), Some(class)) = (self.backend, self.class) else {
            panic!("a row needs a backend word and a class word");
        };
        assert!(self.policy.0 != 0, "a row needs a policy word");
        Columns {
            policy: self.policy,
            backend,
            engine: self.engine,
            stream: self.stream,
            class,
            capture: self.capture,
            custom_wire: self.custom_wire,
        }
    }

    const fn policy(mut self, word: Policy) -> Words {
        self.policy = self.policy.and(word);
        self
    }

    const fn class(mut self, class: Class) -> Words {
        assert!(self.class.is_none(), "a row has one class word");
        self.class = Some(class);
        self
    }
}

/// Reads the bracketed words of a row.
#[macro_export]
macro_rules! columns {
    ([$( $word:ident $(($arg:ident))? )*]) => {
        $crate::columns::Words::NONE $( .$word($(stringify!($arg))?) )* .read()
    };
}
