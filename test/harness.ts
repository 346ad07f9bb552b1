/**
 * A chain for a test: it has a manual clock, is closed when the test ends, and the oracle checks every block it seals.
 */
import { createPublicClient, createWalletClient, custom } from 'viem'
import { foundry } from 'viem/chains'
import { inject, onTestFinished } from 'vitest'
import { loadCrypto } from '../src/base/crypto/crypto.ts'
import type { Hash } from '../src/base/types.ts'
import { assembleChain } from '../src/chain/chain.ts'
import type { CoreOptions } from '../src/core/block/attributes.ts'
import type { BlockStore } from '../src/core/ledger/ethereumjs/blockStore.ts'
import type { StoredChange } from '../src/core/ledger/storedChange.ts'
import type { ChainParts, Core } from '../src/core/open/core.ts'
import { openGenesis } from '../src/core/open/genesis.ts'
import { loadPredeploys } from '../src/core/open/predeploys/predeploys.ts'
import type { Block } from '../src/ethereum/block.ts'
import { encodeBlock } from '../src/ethereum/blockEncoding.ts'
import { mergePatches, type StatePatch } from '../src/ethereum/state/patch.ts'
import {
  type ChainOptions,
  createManualClock,
  type ManualClock,
  type PresealChain,
  type Provider,
} from '../src/index.ts'
import { Oracle, type OracleOptions, type Senders } from './oracle.ts'
import './rootHashNames.ts'
import { accountOf } from './signing.ts'

/** A chain under the manual clock. */
export type TestChain = PresealChain<ManualClock> & {
  /** Closes the chain and lets the oracle check it now rather than when the test ends. */
  finish(): Promise<void>
}

/**
 * Starts a chain in `manual` mining under a manual clock, unless the options say otherwise. When the test ends, the
 * chain is closed and every block it stored is validated and executed by the oracle, unless the chain has a spec.
 *
 * @param parts - stand-ins for the chain's parts, as `assembleChain` takes them.
 * @param oracleOptions - what the oracle cannot derive from the options of the chain.
 */
export async function startChain(
  options: ChainOptions = {},
  parts: ChainParts = {},
  oracleOptions: OracleOptions = {},
): Promise<TestChain> {
  const engine = inject('engine')
  const resolved = { engine, mining: 'manual', clock: createManualClock(), ...options } as const
  const { chain, finish } = await watchChain(resolved, parts, oracleOptions)
  onTestFinished(finish)
  return Object.assign(chain as PresealChain<ManualClock>, { finish })
}

/**
 * Starts a chain. `finish` closes it and lets the oracle check every stored block, including replayed ones. Works outside
 * of a test too.
 */
export async function watchChain(
  resolved: ChainOptions,
  parts: ChainParts = {},
  oracleOptions: OracleOptions = {},
): Promise<{ readonly chain: PresealChain; finish(): Promise<void> }> {
  let genesis: Block | undefined
  let used: CoreOptions | undefined
  /** In order, including blocks that were withdrawn since. */
  const sealed: StoredStep[] = []
  const record = (own: BlockStore): BlockStore => {
    const store = parts.store?.(own) ?? own
    return new Proxy(store, {
      get(_target, name) {
        if (name === 'begin') {
          return async (block: Block, ...rest: [never]) => {
            genesis = block
            const head = await store.begin(block, ...rest)
            sealed.push(...(await storedChain(store, head, block.hash)))
            return head
          }
        }
        if (name === 'write') {
          return async (change: StoredChange) => {
            await store.write(change)
            const { head, added, patched } = change
            if (added !== undefined) {
              const { chainId } = added.rules
              sealed.push({ rlp: encodeBlock(added), senders: unsignedSenders(added), chainId })
            }
            if (patched !== undefined) {
              sealed.push({ hash: head, patch: patched.patches && mergePatches(patched.patches) })
            }
          }
        }
        const value = Reflect.get(store, name)
        return typeof value === 'function' ? value.bind(store) : value
      },
    })
  }
  const inspect = (opened: Core): void => {
    used = opened.sequencer.tip.base.options
    parts.inspect?.(opened)
  }
  const chain = await assembleChain(resolved, { ...parts, store: record, inspect })
  const { close } = chain
  const check = async (): Promise<void> => {
    await close()
    const { timestamp } = genesis!
    const options = used!
    // Stock @ethereumjs has Ethereum's rules only.
    if (options.spec !== undefined) return
    const predeployed = options.predeploys && (await loadPredeploys(options.predeploys))
    const crypto = await loadCrypto()
    const { geth } = openGenesis(options, chain.accounts, timestamp, undefined, crypto, predeployed)
    const skipHeaderValidation = options.fixedBaseFee !== undefined || options.allowBlocksWithSameTimestamp
    const oracle = await Oracle.create(geth, encodeBlock(genesis!), {
      skipHeaderValidation,
      allowUnlimitedContractSize: options.allowUnlimitedContractSize,
      ...oracleOptions,
    })
    for (const step of sealed) {
      if ('rlp' in step) await oracle.follow(step.rlp, step)
      else await oracle.patch(step.hash, step.patch)
    }
  }
  let checked: Promise<void> | undefined
  const finish = (): Promise<void> => {
    checked ??= check()
    return checked
  }
  return { chain, finish }
}

/** A block as the oracle executes it. */
interface Followed {
  readonly rlp: Uint8Array
  readonly senders: Senders | undefined
  readonly chainId: bigint | undefined
}

/** An entry of the store: a block, or a patch of the state after one. */
type StoredStep = Followed | { readonly hash: Hash; readonly patch: StatePatch | undefined }

function unsignedSenders({ transactions }: Block): Senders {
  const unsigned = [...transactions.entries()].filter(([, tx]) => tx.unsigned)
  return new Map(unsigned.map(([index, { from }]) => [index, from]))
}

/** The entries of a database from the block after genesis to the head. */
async function storedChain(store: BlockStore, head: Hash, genesis: Hash): Promise<StoredStep[]> {
  const steps: StoredStep[] = []
  const format = store.keepsState ? (await store.stored()).format : undefined
  const withPatch = async (hash: Hash, number: bigint) => {
    const stated = await format?.patch(Number(number))
    if (stated !== undefined) steps.unshift({ hash, patch: stated.patch })
  }
  for (let hash = head; hash !== genesis; ) {
    // The chain itself rejects a database without a readable head.
    const block = await store.get(hash).catch(() => undefined)
    if (block === undefined) break
    const transactions = block.transactions.map((raw) => ({ raw }))
    await withPatch(hash, block.header.number)
    steps.unshift({
      rlp: encodeBlock({ ...block, transactions }),
      senders: block.unsigned,
      chainId: block.chainId,
    })
    hash = block.header.parentHash
  }
  await withPatch(genesis, 0n)
  return steps
}

/** viem clients on a chain: `wallet(i)` signs with dev account i through `provider`. */
export function viemOn(chain: PresealChain, provider: Provider = chain.preconf) {
  const options = { chain: foundry, pollingInterval: 10 } as const
  return {
    public: createPublicClient({ ...options, transport: custom(provider), cacheTime: 0 }),
    standard: createPublicClient({ ...options, transport: custom(chain.standard), cacheTime: 0 }),
    wallet: (index = 0) =>
      createWalletClient({
        ...options,
        account: accountOf(chain.accounts[index]!.privateKey),
        transport: custom(provider),
      }),
  }
}
