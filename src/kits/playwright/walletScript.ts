/** `pageWallet.ts` as the text of a function body with the parameter `PRESEAL_CONFIG`; replaced by the build and the tests. */
export const WALLET_SCRIPT: string | undefined = undefined
