/** `pageWallet.ts` as the body of a function with the parameter `PRESEAL_CONFIG`; set by the build and the tests. */
export const WALLET_SCRIPT: string | undefined = undefined
