/**
 * The text of `pageWallet.ts`, in which the build replaces this module, as the tests do: the body of a function with the
 * parameter `PRESEAL_CONFIG`. Undefined if the sources run without either.
 */
export const WALLET_SCRIPT: string | undefined = undefined
