/** preseal/ethers: an ethers provider with subscriptions; `ethers` is a peer dependency. */
export { PresealProvider, type PresealProviderOptions } from './presealProvider.ts'
