/** preseal/ethers: a provider that is pushed to; ethers is the user's own. */
export { PresealProvider, type PresealProviderOptions } from './presealProvider.ts'
