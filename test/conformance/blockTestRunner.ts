/**
 * Runs block tests on chains that import their blocks. A chain has no competing blocks, so each branch of a test
 * gets a chain of its own; the choice between branches is not tested, nor is the proof of work.
 */

import { concatBytes, hexToBytes, hexToWord, quantity } from '../../src/base/bytes.ts'
import { loadCrypto } from '../../src/base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../src/base/types.ts'
import { assembleChain } from '../../src/chain/chain.ts'
import { createExecutor } from '../../src/ethereum/evm/transition.ts'
import { type ChainOptions, createManualClock, ImportError, type PresealChain } from '../../src/index.ts'
import {
  type BlockTest,
  type Branch,
  branchesOf,
  genesisOf,
  type InvalidBlock,
  type ValidBlock,
} from './blockTests.ts'
import { type CreateEngine, OWN_ENGINE } from './engines.ts'
import { isMergedAtGenesis } from './networks.ts'
import { refusalKind } from './refusals.ts'
import { compareSimulation } from './simulatedBlocks.ts'
import type { PreState } from './stateTests.ts'

/** The outcome of a test. */
export interface BlockTestOutcome {
  /** How it differs from what the test expects. */
  readonly differences: readonly string[]
  /** What was done, such as `blocks imported`, how often. */
  readonly counts: Readonly<Record<string, number>>
}

/** Runs a test, and simulates each of its valid blocks again. */
export async function runBlockTest(
  test: BlockTest,
  createEngine: CreateEngine = OWN_ENGINE,
): Promise<BlockTestOutcome> {
  const crypto = await loadCrypto()
  const run = new BlockTestRun(test, (options) =>
    assembleChain(
      { ...options, mining: 'manual', clock: createManualClock(0), limits: { gasCap: MAX_GAS } },
      { executor: () => createExecutor(createEngine(crypto), crypto) },
    ),
  )
  const branches = branchesOf(test)
  if (!branches.some(({ isCanonical }) => isCanonical)) run.differences.push('no branch ends at the head')
  if (branches.length > 1) run.count('branches other than that of the head', branches.length - 1)
  for (const branch of branches) {
    try {
      await run.follow(branch)
    } catch (error) {
      run.differences.push(`threw ${error}`)
    }
  }
  return run
}

const MAX_GAS = 2n ** 64n - 1n

type Start = (options: ChainOptions) => Promise<PresealChain>

/** One test while it runs. */
class BlockTestRun implements BlockTestOutcome {
  readonly differences: string[] = []
  readonly counts: Record<string, number> = {}
  readonly #test: BlockTest
  readonly #start: Start

  constructor(test: BlockTest, start: Start) {
    this.#test = test
    this.#start = start
  }

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by
  }

  /** Imports a branch into a chain, refuses the invalid blocks, and compares what the chain then is. */
  async follow(branch: Branch): Promise<void> {
    const { blocks, isCanonical } = branch
    const isMerged = isMergedAtGenesis(this.#test.network)
    if (!isMerged) await this.#refuseAtStart(branch)
    const chain = await this.#start(
      isMerged
        ? { genesis: genesisOf(this.#test) }
        : { genesis: genesisOf(this.#test, blocks.length), blocks: concatBytes(...blocks.map(toBytes)) },
    )
    try {
      if (isMerged) await this.#importEach(chain, branch)
      await this.#compareHashes(chain, blocks)
      if (isCanonical) await this.#compareState(chain)
      for (const [i, block] of blocks.entries()) await this.#simulate(chain, block, i + 1)
    } finally {
      await chain.close()
    }
  }

  /** Imports the blocks one by one, and refuses each invalid one after its parent. */
  async #importEach(chain: PresealChain, { blocks, invalid }: Branch): Promise<void> {
    for (let number = 0; number <= blocks.length; number++) {
      for (const block of invalid.get(number) ?? []) {
        const before = await observe(chain)
        await this.#refuse(block, number + 1, () => chain.importBlocks(toBytes(block)))
        const after = await observe(chain)
        if (after !== before) this.differences.push(`a refused block changed ${before} to ${after}`)
      }
      if (number < blocks.length) await chain.importBlocks(toBytes(blocks[number]!))
    }
  }

  /** Refuses the invalid blocks as the last ones that a chain starts with: it must begin after the merge. */
  async #refuseAtStart({ blocks, invalid }: Branch): Promise<void> {
    for (const [number, those] of invalid) {
      for (const block of those) {
        await this.#refuse(block, number + 1, async () => {
          const imported = concatBytes(...[...blocks.slice(0, number), block].map(toBytes))
          const chain = await this.#start({ genesis: genesisOf(this.#test), blocks: imported })
          await chain.close()
        })
      }
    }
  }

  async #refuse(block: InvalidBlock, number: number, importIt: () => Promise<unknown>): Promise<void> {
    const { expectException } = block
    try {
      await importIt()
      this.differences.push(`block ${number} was not refused: ${expectException}`)
    } catch (error) {
      if (!(error instanceof ImportError) || error.blockNumber !== BigInt(number)) throw error
      this.count('blocks refused')
      const [, reason = ''] = error.message.split('cannot be imported: ')
      this.count(refusalKind(expectException, reason))
    }
  }

  /** Compares the hashes of the genesis and of all blocks, and what the head is. */
  async #compareHashes(chain: PresealChain, blocks: readonly ValidBlock[]): Promise<void> {
    const headers = [this.#test.genesisBlockHeader, ...blocks.map(({ blockHeader }) => blockHeader)]
    for (const [number, { hash }] of headers.entries()) {
      const got = await hashOf(chain, quantity(number))
      if (got !== hash) this.differences.push(`the hash of block ${number} is ${got}, not ${hash}`)
    }
    const head = await hashOf(chain, 'latest')
    if (head !== headers.at(-1)!.hash) this.differences.push(`the head is ${head}`)
    this.count('blocks imported', blocks.length)
  }

  async #simulate(chain: PresealChain, { blockHeader: { hash } }: ValidBlock, number: number): Promise<void> {
    const { differences, omitted } =
      genesisOf(this.#test).config['daoForkBlock'] === number
        ? { differences: [], omitted: 'the DAO fork changes balances before its transactions' }
        : await compareSimulation(chain, hash)
    this.differences.push(...differences.map((one) => `block ${number} simulated: ${one}`))
    this.count(omitted === undefined ? 'blocks simulated' : `blocks not simulated: ${omitted}`)
  }

  /** Compares the state of the head with the expected one, or only its root if the test has no more. */
  async #compareState(chain: PresealChain): Promise<void> {
    const { pre, postState, postStateHash } = this.#test
    if (postState === undefined) {
      const block = await request<{ stateRoot: Hash }>(chain, 'eth_getBlockByNumber', 'latest', false)
      if (block.stateRoot !== postStateHash) this.differences.push(`the state root is ${block.stateRoot}`)
      return
    }
    const addresses = new Set([...Object.keys(pre), ...Object.keys(postState)]) as Set<Address>
    for (const address of addresses) {
      const { balance = '0x0', nonce = '0x0', code = '0x' } = postState[address] ?? {}
      const slots = slotsOf(postState, address)
      const keys = [...new Set([...slotsOf(pre, address).keys(), ...slots.keys()])]
      const read = <T>(method: string, ...key: Hex[]) => request<T>(chain, method, address, ...key, 'latest')
      const got = [
        BigInt(await read<Hex>('eth_getBalance')),
        BigInt(await read<Hex>('eth_getTransactionCount')),
        await read<Hex>('eth_getCode'),
        ...(await Promise.all(keys.map(async (key) => BigInt(await read<Hex>('eth_getStorageAt', key))))),
      ].join()
      const expected = [
        BigInt(balance),
        BigInt(nonce),
        code,
        ...keys.map((key) => slots.get(key) ?? 0n),
      ].join()
      if (got === expected) continue
      this.differences.push(
        `${address} has balance, nonce, code, slots ${keys}: ${got}, expected ${expected}`,
      )
    }
  }
}

function toBytes({ rlp }: ValidBlock | InvalidBlock): Uint8Array {
  return hexToBytes(rlp)
}

/** The slots of an account, with keys of 32 bytes: tests write them with or without leading zeros. */
function slotsOf(state: PreState, address: Address): ReadonlyMap<Hash, bigint> {
  const slots = Object.entries(state[address]?.storage ?? {})
  return new Map(slots.map(([key, value]) => [hexToWord(key as Hex), BigInt(value)]))
}

function request<T>(chain: PresealChain, method: string, ...params: unknown[]): Promise<T> {
  return chain.preconf.request({ method, params } as never) as Promise<T>
}

async function hashOf(chain: PresealChain, block: string): Promise<Hash | undefined> {
  return (await request<{ hash: Hash } | null>(chain, 'eth_getBlockByNumber', block, false))?.hash
}

/** The head and the block under construction, which a refused block must not change. */
async function observe(chain: PresealChain): Promise<string> {
  return `${await hashOf(chain, 'latest')} with ${await hashOf(chain, 'pending')}`
}
