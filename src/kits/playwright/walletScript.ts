/** The text of `pageWallet.ts` as the body of a function of `PRESEAL_CONFIG`; the build and the tests replace this module by it. */
export const WALLET_SCRIPT: string | undefined = undefined
