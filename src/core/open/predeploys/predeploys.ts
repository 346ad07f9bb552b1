/**
 * Contracts that a chain has from its first block on, at the addresses and with the codes of Ethereum mainnet. Each is a
 * file with the hash of its code. All but Multicall3 are loaded on demand.
 *
 *   multicall3     src/libraries/Preinstalls.sol of the package @eth-optimism/contracts-bedrock 0.17.3
 *   permit2        the same; its immutables are for chain 1, and with a different chain id it computes its domain again
 *   createx        executed from the signed transaction in @nomicfoundation/ignition-core 3.1.9, which needs no key
 *   entrypoint     executed from artifacts/EntryPoint.json of @account-abstraction/contracts 0.7.0, whose CREATE2 address
 *                  under mainnet's salt is this one; with its SenderCreator
 *   entrypoint08   the same, from version 0.8.0
 */

import type { Address, Hash, Hex } from '../../../base/types.ts'
import { CREATE2_PROXY, type GenesisContract } from '../../../ethereum/systemContracts.ts'
import type { Predeploy } from '../../options.ts'
import multicall3 from './multicall3.json'

interface StoredContract {
  readonly address: Address
  readonly nonce: number
  readonly codeHash: Hash
  readonly code: Hex
  readonly storage?: Readonly<Record<Hex, Hex>>
}

const FILES: Readonly<Record<Exclude<Predeploy, 'create2'>, () => Promise<{ readonly default: unknown }>>> = {
  // Imported statically, since the default genesis has it too.
  multicall3: async () => ({ default: multicall3 }),
  permit2: () => import('./permit2.json'),
  createx: () => import('./createx.json'),
  entrypoint: () => import('./entrypoint.json'),
  entrypoint08: () => import('./entrypoint08.json'),
}

/** A contract, and its name in the option `predeploys`. */
export interface Predeployed extends GenesisContract {
  readonly name: Predeploy
}

/** Loads the contracts of the option `predeploys`, in its order; an entry can have several. */
export async function loadPredeploys(names: readonly Predeploy[]): Promise<readonly Predeployed[]> {
  const contracts: Predeployed[] = []
  for (const name of names) {
    if (name === 'create2') {
      contracts.push({ ...CREATE2_PROXY, name })
      continue
    }
    const stored = (await FILES[name]()).default as readonly StoredContract[]
    for (const { address, nonce, code, storage } of stored) {
      contracts.push({ name, address, code, nonce: BigInt(nonce), ...(storage && { storage }) })
    }
  }
  return contracts
}
