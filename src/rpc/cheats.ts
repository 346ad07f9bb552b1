/**
 * What test suites ask of a dev chain beyond Ethereum's own methods: one implementation each, under every name that
 * anvil, Hardhat or ganache have for it.
 */

import { addBalance, patchAccount } from '../cheats/accounts.ts'
import { setBlocks } from '../cheats/blocks.ts'
import { dealERC20, setERC20Allowance } from '../cheats/erc20.ts'
import { mine } from '../cheats/mine.ts'
import { dropTransactions } from '../cheats/pool.ts'
import { increaseTime, setBlockTimestampInterval, setNextBlockTimestamp, setTime } from '../cheats/time.ts'
import { quantity } from '../primitives/bytes.ts'
import { array, optional } from '../primitives/schema.ts'
import type { Hash } from '../primitives/types.ts'
import { rollback } from '../sequencer/reorg.ts'
import { ForkingUnsupportedError, TransactionSealedError } from './errors.ts'
import { type Method, method, type RpcContext } from './method.ts'
import {
  amount,
  blockGasLimit,
  chainId,
  integer,
  milliseconds,
  miningRequest,
  reorgRequest,
  replacement,
  resetRequest,
  snapshotId,
  stateFile,
  toReplacements,
} from './params/dev.ts'
import { address, any, boolean, data, hash32, storageKey } from './params/scalars.ts'

/** Every cheat goes by each of these: which of them a suite uses depends on what it was written for. */
const PREFIXES = ['anvil', 'evm', 'ganache', 'hardhat'] as const

type Prefixed<Methods> = {
  readonly [Name in keyof Methods & string as `${(typeof PREFIXES)[number]}_${Name}`]: Methods[Name]
}

function prefixed<Methods extends Record<string, Method>>(methods: Methods): Prefixed<Methods> {
  const names = PREFIXES.flatMap((prefix) =>
    Object.entries(methods).map(([name, one]) => [`${prefix}_${name}`, one] as const),
  )
  return Object.fromEntries(names) as unknown as Prefixed<Methods>
}

const timestampInterval = (toSeconds: (value: number) => number) =>
  method([integer], async ({ services }, value) => {
    await setBlockTimestampInterval(services.cheats, BigInt(toSeconds(value)))
    return null
  })

const setBalance = method([address, amount], async ({ services }, of, balance) => {
  await patchAccount(services.cheats, of, () => ({ balance }))
  return true
})

const setCode = method([address, data], async ({ services }, of, code) => {
  await patchAccount(services.cheats, of, () => ({ code }))
  return true
})

const setNonce = method([address, integer], async ({ services }, of, nonce) => {
  await patchAccount(services.cheats, of, () => ({ nonce: BigInt(nonce) }))
  return true
})

const setStorageAt = method([address, storageKey, storageKey], async ({ services }, of, slot, value) => {
  await patchAccount(services.cheats, of, () => ({ stateDiff: new Map([[slot, value]]) }))
  return true
})

/** Seals blocks, so many seconds apart. */
const mineBlocks = method(
  [optional(integer), optional(integer)],
  async ({ services }, blocks = 1, interval = 0) => {
    await mine(services.cheats, { blocks, interval })
    return null
  },
)

/** Seals blocks, the first of them at a timestamp where one is given. */
const evm_mine = method([optional(miningRequest)], async ({ services }, request) => {
  const { timestamp, blocks = 1 } = request ?? {}
  await mine(services.cheats, { blocks, timestamp: timestamp === undefined ? undefined : BigInt(timestamp) })
  return '0x0' as const
})

/** @returns whether there was such a transaction. */
const drop = async ({ services }: RpcContext, hash: Hash) =>
  (await dropTransactions(services.cheats, (tx) => tx.hash === hash)) > 0

const setIntervalMining = (toMs: (value: number) => number) =>
  method([integer], async ({ services }, value) => {
    services.cheats.mining.setBlockTime(toMs(value))
    return null
  })

/** What the chain is, and where it stands; after a reset it is another instance. */
function metadata({ services, sight }: RpcContext) {
  const { block } = sight.tip.head
  return {
    clientVersion: services.clientVersion,
    chainId: Number(services.chainId),
    instanceId: services.cheats.snapshots.instance,
    latestBlockNumber: Number(block.number),
    latestBlockHash: block.hash,
  }
}

/** The cheats by every name they have. */
export const CHEATS = {
  ...prefixed({
    /** Lets an account send without its key, whoever it is (design, decision 33). */
    impersonateAccount: method([address], ({ services }, account) => {
      services.signers.impersonate(account)
      return null
    }),
    /** No longer lets an account send without its key; what it has sent stays. */
    stopImpersonatingAccount: method([address], ({ services }, account) => {
      services.signers.stopImpersonating(account)
      return null
    }),
    /** Lets every account send without its key, or no longer those that are not impersonated by name. */
    autoImpersonateAccount: method([boolean], ({ services }, everyone) => {
      services.signers.impersonateEveryone(everyone)
      return null
    }),
    /** Takes a snapshot. @returns its id. */
    snapshot: method([], ({ services }) => services.snapshot()),
    /** Returns to a snapshot, which is gone by that. @returns false where there is none with this id. */
    revert: method([snapshotId], ({ services }, id) => services.revert(id, false)),

    /** Moves time on by seconds. @returns how many seconds it is ahead of the clock in all. */
    increaseTime: method([integer], async ({ services }, seconds) =>
      quantity(Math.max(0, await increaseTime(services.cheats, seconds))),
    ),
    /** Sets the time. @returns how many seconds it is ahead of the clock. */
    setTime: method([milliseconds], async ({ services }, ms) =>
      quantity(Math.max(0, await setTime(services.cheats, ms))),
    ),
    /** Sets the timestamp of the next block, in seconds. @throws TimestampTooLowError */
    setNextBlockTimestamp: method([integer], async ({ services }, timestamp) => {
      await setNextBlockTimestamp(services.cheats, BigInt(timestamp))
      return null
    }),
    /** Sets the seconds between each block and the next. */
    setBlockTimestampInterval: timestampInterval((seconds) => seconds),
    /** Has timestamps follow the time again. @returns whether they did not. */
    removeBlockTimestampInterval: method([], async ({ services, sight }) => {
      await setBlockTimestampInterval(services.cheats, undefined)
      return sight.tip.settings.timestampInterval !== undefined
    }),

    setBalance,
    setCode,
    setNonce,
    setStorageAt,
    /** Adds to a balance. */
    addBalance: method([address, amount], async ({ services }, of, wei) => {
      await addBalance(services.cheats, of, wei)
      return true
    }),
    /** Sets what an owner has of a token. @throws SlotNotFoundError */
    dealERC20: method([address, address, amount], async ({ services }, owner, token, balance) => {
      await dealERC20(services.cheats, owner, token, balance)
      return null
    }),
    /** Sets what a spender may take of an owner's token. @throws SlotNotFoundError */
    setERC20Allowance: method(
      [address, address, address, amount],
      async ({ services }, owner, spender, token, allowance) => {
        await setERC20Allowance(services.cheats, owner, spender, token, allowance)
        return null
      },
    ),

    /** Sets the id of the blocks to come, and what is bound to another chain is dropped (design, decision 33k). */
    setChainId: method([chainId], async ({ services }, id) => {
      await setBlocks(services.cheats, (settings) => ({ ...settings, chainId: id }))
      return null
    }),
    /** Sets the fee recipient of the blocks to come. */
    setCoinbase: method([address], async ({ services }, coinbase) => {
      await setBlocks(services.cheats, (settings) => ({ ...settings, coinbase }))
      return null
    }),
    /** Sets the gas limit of the blocks to come. */
    setBlockGasLimit: method([blockGasLimit], async ({ services }, gasLimit) => {
      await setBlocks(services.cheats, (settings) => ({ ...settings, gasLimit }))
      return true
    }),
    /** Sets the base fee of the next block, in wei. */
    setNextBlockBaseFeePerGas: method([amount], async ({ services }, nextBaseFee) => {
      await setBlocks(services.cheats, (settings) => ({ ...settings, nextBaseFee }))
      return null
    }),
    /** Sets `prevRandao` of the next block. */
    setPrevRandao: method([storageKey], async ({ services }, nextPrevRandao) => {
      await setBlocks(services.cheats, (settings) => ({ ...settings, nextPrevRandao }))
      return null
    }),
    /** Sets the wei per gas below which no transaction is accepted any more. */
    setMinGasPrice: method([amount], async ({ services }, minGasPrice) => {
      await setBlocks(services.cheats, (settings) => ({ ...settings, minGasPrice }))
      return null
    }),

    /** Gives up a transaction that waits or is pre-confirmed. @returns whether there was one. */
    dropTransaction: method([hash32], drop),
    /** Gives up everything that is not sealed. */
    dropAllTransactions: method([], async ({ services }) => {
      await dropTransactions(services.cheats, () => true)
      return null
    }),
    /** Gives up everything of a sender that is not sealed. */
    removePoolTransactions: method([address], async ({ services }, sender) => {
      await dropTransactions(services.cheats, ({ from }) => from === sender)
      return null
    }),

    /** Replaces the last sealed blocks. */
    reorg: method([reorgRequest, optional(array(replacement))], async ({ services }, request, pairs = []) => {
      const { depth, replace } = toReplacements(request, pairs)
      await services.reorg(depth, replace)
      return null
    }),
    /** Withdraws the last sealed blocks, by default one; what they included waits again. */
    rollback: method([optional(integer)], async ({ services }, depth = 1) => {
      await rollback({ ...services.cheats, crypto: services.crypto }, depth)
      return null
    }),

    mine: mineBlocks,
    /** Switches sealing at each send. */
    setAutomine: method([boolean], async ({ services }, on) => {
      await services.cheats.mining.setAutomine(on)
      return null
    }),
    /** Whether a send is sealed at once. */
    getAutomine: method([], ({ services }) => services.cheats.mining.automine),
    /** Sets the seconds from block to block, or from 100 on the milliseconds; 0 for none by the clock. */
    setIntervalMining: setIntervalMining((value) => (value < 100 ? 1000 * value : value)),
    /** The seconds from block to block; null where none is made by the clock. */
    getIntervalMining: method([], ({ services }) => {
      const { blockTime } = services.cheats.mining
      return blockTime === undefined ? null : blockTime / 1000
    }),

    /** Returns to genesis. @throws ForkingUnsupportedError where it is to become the copy of another chain. */
    reset: method([optional(resetRequest)], async ({ services }, request) => {
      if (request?.forking?.jsonRpcUrl !== undefined) throw new ForkingUnsupportedError()
      await services.cheats.snapshots.reset()
      return true
    }),
    /** @throws ForkingUnsupportedError */
    setRpcUrl: method([any], (): null => {
      throw new ForkingUnsupportedError()
    }),
    /** Whether what contracts say to the console is printed; the option `console` is where it begins. */
    setLoggingEnabled: method([boolean], ({ services }, on) => {
      services.printConsole(on)
      return null
    }),
    /** What the chain is, and where it stands. */
    metadata: method([], (context) => ({ ...metadata(context), forkedNetwork: null })),
    /** What the blocks to come are made with, and where the chain stands. */
    nodeInfo: method([], ({ services, sight }) => {
      const { head, preconf } = sight.tip
      const { block } = head
      return {
        currentBlockNumber: quantity(block.number),
        currentBlockTimestamp: Number(block.timestamp),
        currentBlockHash: block.hash,
        hardFork: block.rules.hardfork,
        transactionOrder: services.ordering,
        environment: {
          baseFee: quantity(preconf.attributes.baseFee),
          chainId: Number(services.chainId),
          gasLimit: quantity(preconf.attributes.gasLimit),
          gasPrice: quantity(services.gasPrice ?? preconf.attributes.baseFee),
        },
        forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
      }
    }),
    /** The accounts at the head, in anvil's form. */
    dumpState: method([], async ({ services }) => {
      const { dumpState } = await import('../cheats/stateFile.ts')
      return dumpState(services.cheats)
    }),
    /** Writes accounts in anvil's form to the head's state. @throws InvalidStateFileError */
    loadState: method([stateFile], async ({ services }, file) => {
      const { loadState } = await import('../cheats/stateFile.ts')
      await loadState(services.cheats, file)
      return true
    }),
  }),
  evm_mine,
  /** Clients of Hardhat take a network that is named, be it null, for one that was forked. */
  hardhat_metadata: method([], metadata),
  /** Clients of Hardhat give milliseconds. */
  hardhat_setBlockTimestampInterval: timestampInterval((ms) => Math.floor(ms / 1000)),
  /** Users of Hardhat are told of what is sealed already. @throws TransactionSealedError */
  hardhat_dropTransaction: method([hash32], async (context, hash) => {
    if (context.sight.findTransaction(hash)?.sealed === true) throw new TransactionSealedError(hash)
    return drop(context, hash)
  }),
  /** anvil's own name: seconds, however many. */
  anvil_setIntervalMining: setIntervalMining((seconds) => 1000 * seconds),
  evm_setAccountBalance: setBalance,
  evm_setAccountCode: setCode,
  evm_setAccountNonce: setNonce,
  evm_setAccountStorageAt: setStorageAt,
  /** Makes blocks again as the chain was created to, or at each send. */
  miner_start: method([optional(any)], async ({ services }) => {
    await services.cheats.mining.resume()
    return true
  }),
  /** Makes no block any more unless it is asked for. */
  miner_stop: method([], ({ services }) => {
    services.cheats.mining.pause()
    return true
  }),
}
