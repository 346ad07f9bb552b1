/** Whether a method has one of the prefixes of development chains. */
export const isDevMethod = (name: string): boolean => /^(anvil|evm|ganache|hardhat|miner)_/.test(name)
