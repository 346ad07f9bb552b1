import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { hexToBytes, ZERO_HASH } from '../../../src/base/bytes.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { PayloadAttributes } from '../../../src/core/block/attributes.ts'
import { BlockBuilder } from '../../../src/core/block/blockBuilder.ts'
import {
  openBlock,
  type PayloadConfig,
  type PayloadStart,
  toExecuted,
} from '../../../src/core/block/payload.ts'
import { buildGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { decodeTransaction } from '../../../src/ethereum/decodeTransaction.ts'
import { DEPOSIT_CONTRACT } from '../../../src/ethereum/depositContract.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import type { Executor } from '../../../src/ethereum/evm/executor.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import { createChainRules, hardforkConfig } from '../../../src/ethereum/rules.ts'
import { EMPTY_STATE } from '../../../src/ethereum/state/account.ts'
import { Layer } from '../../../src/ethereum/state/layer.ts'
import { BEACON_ROOTS, BLOCK_HASHES, WITHDRAWAL_REQUESTS } from '../../../src/ethereum/systemContracts.ts'
import type { Transaction } from '../../../src/ethereum/transaction.ts'
import type { GethGenesis, Hex } from '../../../src/index.ts'

const ACCOUNT = privateKeyToAccount(`0x${'01'.repeat(32)}`)
/** Logs one topic. */
const LOGGING: Hex = `0x${'0c'.repeat(20)}`

const GENESIS: GethGenesis = {
  config: hardforkConfig(1, 'prague'),
  alloc: {
    [ACCOUNT.address.toLowerCase()]: { balance: `0x${(10n ** 20n).toString(16)}` },
    [LOGGING]: { balance: '0x0', code: '0x600160005fa1' },
    ...Object.fromEntries(
      [BEACON_ROOTS, BLOCK_HASHES, WITHDRAWAL_REQUESTS].map(({ address, code }) => [
        address,
        { balance: '0x0', code },
      ]),
    ),
  },
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  timestamp: '0x0',
  nonce: '0x0',
  extraData: '0x',
}

const ATTRIBUTES: PayloadAttributes = {
  chainId: 1n,
  timestamp: 12n,
  coinbase: `0x${'0f'.repeat(20)}`,
  gasLimit: 30_000_000n,
  baseFee: 875_000_000n,
  prevRandao: ZERO_HASH,
  beaconRoot: `0x${'be'.repeat(32)}`,
  extraData: '0x',
}

/** The start of a block, its transactions, and the names of what its builders execute. */
async function openScene() {
  const crypto = await loadCrypto()
  const rules = createChainRules(GENESIS)
  const { block, changes, stateTrie } = buildGenesis(GENESIS, rules, crypto)
  const own = createExecutor(createPresealEngine(crypto), crypto)
  const executed: string[] = []
  const executor: Executor = {
    execute(execution, pause) {
      executed.push(`transaction ${execution.tx.nonce}`)
      return own.execute(execution, pause)
    },
    systemCall(to, ...others) {
      executed.push(to)
      return own.systemCall(to, ...others)
    },
  }
  const config: PayloadConfig = {
    executor,
    crypto,
    rules,
    depositContract: DEPOSIT_CONTRACT.address,
    options: resolveOptions(),
    clock: systemClock,
  }
  const parent = { block, state: new Layer(EMPTY_STATE, changes), stateTrie, hashAt: () => undefined }
  const start = openBlock(config, parent, ATTRIBUTES)
  const transactions: Transaction[] = []
  for (const [nonce, to] of [LOGGING, `0x${'0d'.repeat(20)}` as Hex, LOGGING].entries()) {
    const raw = await ACCOUNT.signTransaction({
      type: 'eip1559',
      chainId: 1,
      nonce,
      to,
      value: 1n,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
    transactions.push(decodeTransaction(hexToBytes(raw), start.env.rules, crypto))
  }
  return { config, start, transactions, executed }
}

async function begin(config: PayloadConfig, start: PayloadStart): Promise<BlockBuilder> {
  const builder = new BlockBuilder(config, start)
  await builder.begin()
  return builder
}

describe('BlockBuilder', () => {
  it('goes on from a preconf block without executing it again, to the block that it builds at once', async () => {
    const { config, start, transactions, executed } = await openScene()
    const [first, ...others] = transactions
    let builder = await begin(config, start)
    await builder.add(first!)
    const preconfBlock = await builder.end()
    expect(preconfBlock).toMatchObject({ index: 0, added: 0, block: { transactions: [first] } })
    executed.length = 0
    builder = new BlockBuilder(config, preconfBlock)
    for (const tx of others) await builder.add(tx)
    const payload = await builder.end(1)
    expect(payload).toMatchObject({ index: 1, added: 1 })
    expect(executed.filter((name) => name.startsWith('transaction'))).toEqual([
      'transaction 1',
      'transaction 2',
    ])

    builder = await begin(config, start)
    for (const tx of transactions) await builder.add(tx)
    const whole = await builder.end()
    expect(payload.block.header).toEqual(whole.block.header)
    expect(payload.block.receipts).toEqual(whole.block.receipts)
    expect(payload.block.size).toBe(whole.block.size)
    expect(preconfBlock.block.hash).not.toBe(whole.block.hash)
  })

  it('adds nothing of what was added since a mark that it goes back to', async () => {
    const { config, start, transactions } = await openScene()
    const [first, second] = transactions
    const builder = await begin(config, start)
    await builder.add(first!)
    const undo = builder.mark()
    await builder.add(second!)
    expect(builder.size).toBe(2)
    undo()
    expect(builder.size).toBe(1)
    const expected = await begin(config, start)
    await expected.add(first!)
    const [payload, other] = [await builder.end(), await expected.end()]
    expect(payload.block.header).toEqual(other.block.header)
  })

  it('adds no transaction that may not be included', async () => {
    const { config, start, transactions } = await openScene()
    const builder = await begin(config, start)
    expect(await builder.add(transactions[1]!)).toMatchObject({ kind: 'rejected', retryable: true })
    const empty = await (await begin(config, start)).end()
    expect((await builder.end()).block.header).toEqual(empty.block.header)
  })

  it('pays withdrawals at the end, and shows them in the header and the size', async () => {
    const { config, start } = await openScene()
    const address: Hex = `0x${'aa'.repeat(20)}`
    const withdrawals = [{ index: 0n, validatorIndex: 0n, address, amount: 5n }]
    const plain = await (await begin(config, start)).end()
    const paying = await (await begin(config, start)).end(0, { withdrawals })
    expect(toExecuted(paying).state.account(address)?.balance).toBe(5n * 10n ** 9n)
    expect(toExecuted(plain).state.account(address)).toBeUndefined()
    expect(paying.block.withdrawals).toEqual(withdrawals)
    expect(paying.block.header.withdrawalsRoot).not.toBe(plain.block.header.withdrawalsRoot)
    // Index and validator of a byte each, the address, the amount, and two prefixes; the list's is one byte both times.
    expect(paying.block.size - plain.block.size).toBe(25)
  })
})
