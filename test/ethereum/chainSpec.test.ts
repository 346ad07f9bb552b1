import fc from 'fast-check'
import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToBytes, quantity, toWord } from '../../src/base/bytes.ts'
import { InvalidOptionError } from '../../src/base/errors.ts'
import type { Address, Hex } from '../../src/base/types.ts'
import { checkDatabase } from '../../src/core/import/check/checkDatabase.ts'
import type { ChainSpec, Metered } from '../../src/ethereum/chainSpec.ts'
import type { ChainOptions, PresealChain } from '../../src/index.ts'
import { checkPartsOf } from '../core/import/check/parts.ts'
import { memoryLevel } from '../core/ledger/failingDatabase.ts'
import { runs } from '../full.ts'
import { startChain, type TestChain } from '../harness.ts'
import { ALICE, ALICE_KEY, signTransaction } from '../signing.ts'

// A chain with a flat fee of 1 gwei per byte of a transaction, and of the calldata of a call.

const VAULT: Address = `0x${'f1'.repeat(20)}`
const BASE_FEES: Address = `0x${'f2'.repeat(20)}`
const COINBASE: Address = `0x${'cb'.repeat(20)}`
const BOB: Address = `0x${'b0'.repeat(20)}`

const flatFee = ({ tx }: Metered): bigint => parseGwei('1') * BigInt((tx.raw ?? tx.data).length)

const FLAT: ChainSpec = {
  name: 'flat',
  fees: [{ recipient: VAULT, amount: flatFee }],
  baseFeeRecipient: BASE_FEES,
  transactionTypes: [0, 1, 2, 4],
  receiptFields: [{ name: 'flatFee', read: (metered) => quantity(flatFee(metered)) }],
  transactionFields: [{ name: 'size', read: ({ raw }) => quantity(raw.length) }],
  headerFields: [{ name: 'timestampMs', read: ({ timestamp }) => quantity(timestamp * 1000n) }],
}

const start = (options: ChainOptions = {}, spec: ChainSpec | undefined = FLAT): Promise<TestChain> =>
  startChain({ coinbase: COINBASE, ...options }, { spec })

// The same chain with a second fee: 2 wei per gas, of which the unused part is refunded.

const OPERATOR: Address = `0x${'f3'.repeat(20)}`
const operatorFee = ({ gas }: Metered): bigint => 2n * gas

const TWO_FEES: ChainSpec = {
  ...FLAT,
  fees: [...FLAT.fees!, { recipient: OPERATOR, amount: operatorFee }],
  receiptFields: [
    ...FLAT.receiptFields!,
    { name: 'operatorFee', read: (metered) => quantity(operatorFee(metered)) },
  ],
}

// Ecotone's fee for L1 data (OP Stack), with all parameters of a block in the storage of a contract.

const L1_BLOCK: Address = `0x42${'00'.repeat(18)}15`
const ECOTONE_PARAMETERS = { 1: 10n ** 9n, 3: (2n << 96n) | (3n << 64n), 7: 10n ** 7n }

const dataFee = ({ tx: { raw = new Uint8Array(0) }, state }: Metered): bigint => {
  const storageId = state.account(L1_BLOCK)?.storageId ?? 0
  const read = (slot: number) => state.slot(storageId, toWord(BigInt(slot)))
  const [baseFee, scalars, blobBaseFee] = [read(1), read(3), read(7)]
  const [baseFeeScalar, blobScalar] = [BigInt.asUintN(32, scalars >> 96n), BigInt.asUintN(32, scalars >> 64n)]
  const calldataGas = raw.reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n)
  return (calldataGas * (16n * baseFee * baseFeeScalar + blobBaseFee * blobScalar)) / 16_000_000n
}

const ECOTONE: ChainSpec = {
  name: 'ecotone',
  fees: [{ recipient: VAULT, amount: dataFee }],
  receiptFields: [{ name: 'l1Fee', read: (metered) => quantity(dataFee(metered)) }],
}

interface Sent {
  readonly nonce?: number
  readonly to?: Address | null
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
}

const GAS_PRICE = parseGwei('2')

const sign = ({ nonce = 0, to = BOB, value = 1n, data = '0x', gas = 100_000n }: Sent = {}): Promise<Hex> =>
  signTransaction(ALICE_KEY, {
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to,
    value,
    data,
    gas,
    maxFeePerGas: GAS_PRICE,
    maxPriorityFeePerGas: parseGwei('1'),
  })

const sizeOf = (raw: Hex): bigint => BigInt(hexToBytes(raw).length)
const flatFeeOf = (raw: Hex): bigint => parseGwei('1') * sizeOf(raw)
const send = (chain: PresealChain, raw: Hex) =>
  chain.live.request({ method: 'eth_sendRawTransaction', params: [raw] })
const balanceOf = async (chain: PresealChain, address: Address): Promise<bigint> =>
  BigInt(await chain.live.request({ method: 'eth_getBalance', params: [address, 'pending'] }))
const receiptOf = (provider: PresealChain['live'], hash: Hex): Promise<Record<string, unknown>> =>
  provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }) as never

const REFUSED = {
  code: -32000,
  message: expect.stringContaining('insufficient funds for gas * price + value'),
}
/** Initcode of a contract that reverts. */
const REVERTING: Hex = '0x645f5ffd00005f5260055ff3'

describe('a chain with a fee besides gas', () => {
  it('refuses a transaction if the sender lacks a wei of the fee', async () => {
    const chain = await start()
    const raw = await sign()
    const cost = 100_000n * GAS_PRICE + 1n + flatFeeOf(raw)
    await chain.setBalance(ALICE, cost - 1n)
    await expect(send(chain, raw)).rejects.toMatchObject(REFUSED)
    await chain.setBalance(ALICE, cost)
    await send(chain, raw)
    await expect(send(chain, await sign({ nonce: 1, value: 0n }))).rejects.toMatchObject(REFUSED)
    expect((await chain.tick()).block.transactions).toHaveLength(1)
  })

  it('drops a transaction whose sender can no longer pay the fee', async () => {
    const chain = await start()
    const raw = await sign()
    const hash = await send(chain, raw)
    await chain.setBalance(ALICE, 100_000n * GAS_PRICE + flatFeeOf(raw))
    const dropped: unknown[] = []
    chain.on('dropped', (drop) => dropped.push(drop))
    await chain.tick()
    expect(dropped).toMatchObject([{ hash, reason: 'funds' }])
  })

  it('counts the fee in estimates of calls with a fee cap', async () => {
    const chain = await start()
    const call = { from: ALICE, to: BOB, data: `0x${'00'.repeat(100)}` as const }
    const estimate = (fees: object) =>
      chain.live.request({ method: 'eth_estimateGas', params: [{ ...call, ...fees }] }) as Promise<Hex>
    const gas = await estimate({})
    const fee = parseGwei('100')
    await chain.setBalance(ALICE, fee)
    await expect(estimate({ maxFeePerGas: quantity(GAS_PRICE) })).rejects.toMatchObject(REFUSED)
    await chain.setBalance(ALICE, fee + BigInt(gas) * GAS_PRICE)
    expect(await estimate({ maxFeePerGas: quantity(GAS_PRICE) })).toBe(gas)
    await chain.setBalance(ALICE, fee + BigInt(gas) * GAS_PRICE - 1n)
    await expect(estimate({ maxFeePerGas: quantity(GAS_PRICE) })).rejects.toThrow('gas required exceeds')
  })

  it('lowers the allowance of an estimate by the fee for the gas that the funds allow', async () => {
    const chain = await start({}, TWO_FEES)
    await chain.setBalance(ALICE, 21_000n * (GAS_PRICE + 2n))
    const call = { from: ALICE, to: BOB, maxFeePerGas: quantity(GAS_PRICE) }
    expect(await chain.live.request({ method: 'eth_estimateGas', params: [call] })).toBe('0x5208')
  })

  it('charges no fee for calls that need no funds', async () => {
    const chain = await start()
    const call = { from: BOB, to: BOB, data: `0x${'00'.repeat(100)}` as const }
    expect(await chain.live.request({ method: 'eth_call', params: [call] })).toBe('0x')
    const simulate = (validation: boolean) =>
      chain.live.request({
        method: 'eth_simulateV1',
        params: [{ validation, blockStateCalls: [{ calls: [{ ...call, maxFeePerGas: '0x77359400' }] }] }],
      } as never)
    expect(await simulate(false)).toMatchObject([{ calls: [{ status: '0x1' }] }])
    expect(await simulate(true)).toMatchObject([{ calls: [{ error: REFUSED.message }] }])
  })

  it('neither makes nor burns a wei, whatever a block has', async () => {
    const sent = fc.record({
      to: fc.constantFrom(BOB, VAULT, COINBASE, ALICE, null),
      value: fc.bigInt(0n, 10n ** 18n),
      data: fc.constantFrom<Hex>('0x', '0x00', REVERTING, `0x${'fe'.repeat(9)}`),
      gas: fc.constantFrom(60_000n, 100_000n, 300_000n),
    })
    const accounts = [ALICE, BOB, VAULT, BASE_FEES, COINBASE, OPERATOR] as const
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 6 }), async (all) => {
        const chain = await start({}, TWO_FEES)
        const before = await Promise.all(accounts.map((account) => balanceOf(chain, account)))
        for (const [nonce, one] of all.entries()) await send(chain, await sign({ ...one, nonce }))
        const { block, receipts } = await chain.seal()
        const after = await Promise.all(accounts.map((account) => balanceOf(chain, account)))
        let created = 0n
        for (const { contractAddress } of receipts) {
          if (contractAddress !== null) created += await balanceOf(chain, contractAddress)
        }
        const sum = (of: readonly bigint[]) => of.reduce((total, one) => total + one, 0n)
        expect(sum(after) + created).toBe(sum(before))
        expect(block.transactions).toHaveLength(all.length)
        const gasUsed = BigInt(block.gasUsed)
        expect(after[3]).toBe(gasUsed * BigInt(block.baseFeePerGas!))
        expect(after[5]).toBe(2n * gasUsed)
        await chain.finish()
      }),
      runs(8, 200),
    )
  })

  it('shows the fields of receipts, transactions and headers on both views', async () => {
    const chain = await start()
    const seen: Record<string, unknown>[] = []
    chain.preconf.on('message', ({ data }) => seen.push(data.result as never))
    await chain.preconf.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await chain.preconf.request({
      method: 'eth_subscribe',
      params: ['newPreconfTransactions', true] as never,
    })
    const raw = await sign()
    const hash = await send(chain, raw)
    await chain.tick()
    const shown = { flatFee: quantity(flatFeeOf(raw)) }
    expect(await receiptOf(chain.preconf, hash)).toMatchObject(shown)
    const { block } = await chain.seal()
    const timestampMs = quantity(1000n * BigInt(block.timestamp))
    expect(block).toMatchObject({ timestampMs, transactions: [{ hash, size: quantity(sizeOf(raw)) }] })
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await receiptOf(provider, hash)).toMatchObject(shown)
      const receipts = await provider.request({ method: 'eth_getBlockReceipts', params: [block.number!] })
      expect(receipts).toMatchObject([shown])
    }
    await chain.clock.advance(0)
    expect(seen).toContainEqual(expect.objectContaining({ hash, ...shown }))
    expect(seen).toContainEqual(expect.objectContaining({ hash: block.hash, timestampMs }))
  })

  it('answers a synchronous send with the fee', async () => {
    const chain = await start({ mining: 'auto' })
    const raw = await sign()
    const params = [raw] as const
    expect(await chain.preconf.request({ method: 'eth_sendRawTransactionSync', params })).toMatchObject({
      flatFee: quantity(flatFeeOf(raw)),
    })
  })

  it('traces the change of each account that receives a fee', async () => {
    const chain = await start()
    const raw = await sign()
    const hash = await send(chain, raw)
    const { block, receipts } = await chain.seal()
    const params = [hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }] as never
    const trace = await chain.live.request({ method: 'debug_traceTransaction', params })
    const baseFees = BigInt(receipts[0]!.gasUsed) * BigInt(block.baseFeePerGas!)
    expect(trace).toMatchObject({
      post: {
        [VAULT]: { balance: quantity(flatFeeOf(raw)) },
        [BASE_FEES]: { balance: quantity(baseFees) },
        [ALICE]: { balance: quantity(await balanceOf(chain, ALICE)) },
      },
    })
  })

  it('refuses the types of transactions that it lacks', async () => {
    const chain = await start({}, { ...FLAT, transactionTypes: [0] })
    await expect(send(chain, await sign())).rejects.toThrow('transaction type not supported')
  })

  it('has the same blocks on the second engine', async () => {
    const hashes: unknown[] = []
    for (const engine of ['preseal', 'ethereumjs'] as const) {
      const chain = await start({ engine })
      await send(chain, await sign({ to: null, data: REVERTING, value: 0n }))
      hashes.push((await chain.seal()).block.hash)
    }
    expect(hashes[1]).toBe(hashes[0])
  })

  it('imports its own blocks, which stock @ethereumjs does not verify', async () => {
    const [chain, copy] = [await start(), await start()]
    await send(chain, await sign())
    const { block } = await chain.seal()
    const { blocks } = await chain.export()
    const imported = await copy.importBlocks(hexToBytes(blocks), { verify: 'ethereumjs' })
    expect(imported.block.hash).toBe(block.hash)
    expect(imported.receipts).toMatchObject([{ flatFee: expect.any(String) }])
  })

  it('starts from its export, and only by the same rules', async () => {
    const chain = await start()
    const hash = await send(chain, await sign())
    await chain.seal()
    const exported = JSON.parse(JSON.stringify(await chain.export()))
    const loaded = await start(exported)
    expect(await receiptOf(loaded.standard, hash)).toEqual(await receiptOf(chain.standard, hash))
    await expect(startChain(exported)).rejects.toThrow(
      new InvalidOptionError('settings', "a chain by Ethereum's rules, not by the rules flat"),
    )
    const ethereum = await (await startChain()).export()
    await expect(start(ethereum)).rejects.toThrow(
      new InvalidOptionError('settings', "a chain by the rules flat, not by Ethereum's rules"),
    )
  })

  it('starts again on its database, and only by the same rules', async () => {
    const database = memoryLevel() as never
    const chain = await start({ database })
    const hash = await send(chain, await sign())
    await chain.seal()
    const waiting = await send(chain, await sign({ nonce: 1 }))
    const receipt = await receiptOf(chain.standard, hash)
    await chain.finish()
    await expect(startChain({ database })).rejects.toThrow(
      new InvalidOptionError('database', "a chain by Ethereum's rules, not by the rules flat"),
    )
    const again = await start({ database })
    expect(await receiptOf(again.standard, hash)).toEqual(receipt)
    const { block, receipts } = await again.seal()
    expect(block.transactions).toMatchObject([{ hash: waiting }])
    expect(receipts).toMatchObject([{ flatFee: expect.any(String) }])
  })

  it('has a sound database, whose check executes no block without its rules', async () => {
    const database = memoryLevel()
    const chain = await start({ database: database as never })
    await send(chain, await sign())
    await chain.seal()
    await chain.finish()
    const { problems, executed, withoutRules } = await checkDatabase(await checkPartsOf(database))
    expect({ problems, executed, withoutRules }).toEqual({ problems: [], executed: 0, withoutRules: 1 })
  })

  it('loads the receipts of its state file', async () => {
    const [chain, copy] = [await start(), await start()]
    const hash = await send(chain, await sign())
    await chain.seal()
    const file = await chain.live.request({ method: 'anvil_dumpState', params: [] } as never)
    await copy.live.request({ method: 'anvil_loadState', params: [file] } as never)
    expect(await receiptOf(copy.standard, hash)).toEqual(await receiptOf(chain.standard, hash))
  })

  it('is forked with its receipts, and charges the fee on the fork', async () => {
    const chain = await start()
    const hash = await send(chain, await sign())
    await chain.seal()
    const fork = await start({ fork: { provider: chain.standard } })
    expect(await receiptOf(fork.live, hash)).toEqual(await receiptOf(chain.standard, hash))
    const raw = await sign({ nonce: 1 })
    const own = await send(fork, raw)
    await fork.seal()
    expect(await receiptOf(fork.live, own)).toMatchObject({ flatFee: quantity(flatFeeOf(raw)) })
    expect(await balanceOf(fork, VAULT)).toBe((await balanceOf(chain, VAULT)) + flatFeeOf(raw))
  })

  it('reads a fee from the state, also of a forked node', async () => {
    const chain = await start({}, ECOTONE)
    await chain.setCode(L1_BLOCK, '0x00')
    for (const [slot, value] of Object.entries(ECOTONE_PARAMETERS)) {
      await chain.setStorageAt(L1_BLOCK, BigInt(slot), value)
    }
    await chain.seal()
    const fork = await start({ fork: { provider: chain.standard } }, ECOTONE)
    const raw = await sign()
    const calldataGas = hexToBytes(raw).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n)
    // 960,900 for 480 gas, as in the tests of op-geth.
    const l1Fee = (calldataGas * 960_900n) / 480n
    for (const one of [chain, fork]) {
      const hash = await send(one, raw)
      await one.seal()
      expect(await receiptOf(one.live, hash)).toMatchObject({ l1Fee: quantity(l1Fee) })
      expect(await balanceOf(one, VAULT)).toBe(l1Fee)
    }
  })

  it('keeps its rules when it begins again', async () => {
    const chain = await start()
    const hash = await send(chain, await sign())
    await chain.seal()
    const fork = await start({ fork: { provider: chain.standard } })
    await fork.live.request({ method: 'anvil_reset', params: [{ forking: { blockNumber: 1 } }] } as never)
    const raw = await sign({ nonce: 1 })
    const own = await send(fork, raw)
    await fork.seal()
    expect(await receiptOf(fork.live, own)).toMatchObject({ flatFee: quantity(flatFeeOf(raw)) })
    expect(await receiptOf(fork.live, hash)).toMatchObject({ flatFee: expect.any(String) })
  })
})
