//! Functions of instances for backends whose calls are typed.

/// Defines the functions of a backend. Each core signature of the interfaces is one case, so that
/// the backend's fastest calls can be used. `$runtime` is the name of its crate.
macro_rules! core_functions {
    ($runtime:ident; $($case:ident: ($($index:literal: $param:ty),*) -> $result:ty),* $(,)?) => {
        /// A function of an instance.
        #[derive(Clone)]
        pub(crate) enum Function {
            $($case($runtime::TypedFunc<($($param,)*), $result>)),*
        }

        impl Function {
            /// None: it has another signature.
            fn new(function: &$runtime::Func, store: impl $runtime::AsContext) -> Option<Self> {
                let ty = function.ty(&store);
                // An attempt with another type is slow, because it makes an error.
                let lengths = (ty.params().len(), ty.results().len());
                $({
                    let params: &[usize] = &[$($index),*];
                    let results = <$result as $crate::backend::core_functions::ResultBits>::LENGTH;
                    if lengths == (params.len(), results)
                        && let Ok(typed) = function.typed(&store)
                    {
                        return Some(Self::$case(typed));
                    }
                })*
                None
            }

            fn call(
                &self,
                store: impl $runtime::AsContextMut,
                params: &[u64],
            ) -> Result<Option<u64>, $runtime::Error> {
                match self {
                    $(Self::$case(function) => {
                        let result = function.call(store, ($(params[$index] as $param,)*))?;
                        Ok($crate::backend::core_functions::ResultBits::bits(result))
                    })*
                }
            }
        }
    };
    ($runtime:ident) => {
        $crate::backend::core_functions::core_functions! {
            $runtime;
            Action0: () -> (),
            Action1: (0: u32) -> (),
            Query0: () -> u32,
            Query1: (0: u32) -> u32,
            Query2: (0: u32, 1: u32) -> u32,
            Query3: (0: u32, 1: u32, 2: u32) -> u32,
            Query4: (0: u32, 1: u32, 2: u32, 3: u32) -> u32,
            Query7: (0: u32, 1: u32, 2: u32, 3: u32, 4: u32, 5: u32, 6: u32) -> u32,
            Playouts: (0: u32, 1: u64, 2: u32, 3: u32) -> u32,
        }
    };
}
pub(super) use core_functions;

/// The result of a core function.
pub(crate) trait ResultBits {
    /// The number of core values.
    const LENGTH: usize;

    fn bits(self) -> Option<u64>;
}

impl ResultBits for () {
    const LENGTH: usize = 0;

    fn bits(self) -> Option<u64> {
        None
    }
}

impl ResultBits for u32 {
    const LENGTH: usize = 1;

    fn bits(self) -> Option<u64> {
        Some(self.into())
    }
}
