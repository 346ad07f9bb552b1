/** Whether a method is one that development chains add, under one of the prefixes they have. */
export const isDevMethod = (name: string): boolean => /^(anvil|evm|ganache|hardhat|miner)_/.test(name)
