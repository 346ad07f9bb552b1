import { encodeDeployData, getContractAddress, type Hex, numberToHex, parseEther, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainOptions, Hash, PresealRpcSchema } from '../../../src/index.ts'
import { Probe, Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain } from '../../harness.ts'
import type { OracleOptions } from '../../oracle.ts'
import { ask, probeCall, send, tokenCall } from '../scene.ts'

type Request = PresealRpcSchema['wallet_sendCalls']['params'][0]
type Calls = Request['calls']

async function start(options: ChainOptions = {}, oracle: OracleOptions = {}) {
  const chain = await startChain({ accounts: { count: 3 }, ...options }, {}, oracle)
  const [alice, bob, carol] = chain.accounts.map(({ address }) => address) as [Hex, Hex, Hex]
  const addressAt = (nonce: bigint) => getContractAddress({ from: carol, nonce }).toLowerCase() as Hex
  const [token, probe] = [addressAt(0n), addressAt(1n)]
  await send(chain, 2, { nonce: 0, data: encodeDeployData(Token), gas: 2_000_000n })
  await send(chain, 2, { nonce: 1, data: encodeDeployData(Probe), gas: 3_000_000n })
  await send(chain, 2, { nonce: 2, to: token, data: tokenCall('transfer', [alice, 100n]) })
  await chain.seal()
  const transfer = (to: Hex, amount: bigint) => ({ to: token, data: tokenCall('transfer', [to, amount]) })
  const balanceOf = async (owner: Hex) => {
    const call = { to: token, data: tokenCall('balanceOf', [owner]) }
    return BigInt((await ask(chain.preconf, 'eth_call', [call, 'pending'])) as Hex)
  }
  return { chain, alice, bob, carol, token, probe, transfer, balanceOf }
}

const request = (calls: Calls, fields: Partial<Request> = {}): Request => ({
  version: '2.0.0',
  chainId: '0x7a69',
  atomicRequired: true,
  calls,
  ...fields,
})

async function sendCalls({ preconf }: TestChain, calls: Calls, fields?: Partial<Request>): Promise<string> {
  const params: [Request] = [request(calls, fields)]
  return (await preconf.request({ method: 'wallet_sendCalls', params })).id
}

/** The status and the number of receipts on both views. */
async function statusOf(chain: TestChain, id: string) {
  const of = async (view: 'standard' | 'preconf') => {
    const method = 'wallet_getCallsStatus'
    const { status, receipts = [] } = await chain[view].request({ method, params: [id] })
    return `${status}, ${receipts.length} receipts`
  }
  return { standard: await of('standard'), preconf: await of('preconf') }
}

const both = (status: string) => ({ standard: status, preconf: status })

/** The senders and nonces of the transactions in the block under construction. */
async function pending({ preconf }: TestChain) {
  const block = await preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', true] })
  return block!.transactions.map((tx) => (typeof tx === 'string' ? tx : [tx.from, Number(tx.nonce)]))
}

async function waiting({ preconf }: TestChain): Promise<unknown> {
  return preconf.request({ method: 'txpool_status' })
}

const NOTHING = { pending: '0x0', queued: '0x0' }

describe('wallet_sendCalls', () => {
  describe('a batch', () => {
    it('is included in one block, and has the status that each view shows', async () => {
      const { chain, alice, bob, transfer, balanceOf } = await start()
      const id = await sendCalls(chain, [transfer(bob, 5n), { to: bob, value: '0x1' }, transfer(bob, 6n)])
      expect(await statusOf(chain, id)).toEqual(both('100, 0 receipts'))
      await chain.tick()
      expect(await statusOf(chain, id)).toEqual({ standard: '100, 0 receipts', preconf: '200, 3 receipts' })
      expect(await pending(chain)).toEqual([0, 1, 2].map((nonce) => [alice, nonce]))
      expect(await balanceOf(bob)).toBe(11n)
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('200, 3 receipts'))
    })

    it("is included after its sender's waiting transactions, without others between its calls", async () => {
      const { chain, alice, bob, carol } = await start()
      const fee = { maxFeePerGas: parseGwei('50') }
      await send(chain, 0, { nonce: 0, to: bob, maxPriorityFeePerGas: parseGwei('2') })
      await sendCalls(chain, [{ to: bob }, { to: bob }, { to: bob }])
      await send(chain, 0, { nonce: 4, to: bob, ...fee, maxPriorityFeePerGas: parseGwei('9') })
      await send(chain, 1, { nonce: 0, to: bob, ...fee, maxPriorityFeePerGas: parseGwei('8') })
      await send(chain, 2, { nonce: 3, to: bob, ...fee, maxPriorityFeePerGas: parseGwei('1') })
      await chain.tick()
      expect(await pending(chain)).toEqual([
        [bob, 0],
        [alice, 0],
        [alice, 1],
        [alice, 2],
        [alice, 3],
        [alice, 4],
        [carol, 3],
      ])
    })

    it("fills a nonce gap before its sender's waiting transactions, or follows them if it does not fit", async () => {
      const { chain, alice, bob } = await start()
      await send(chain, 0, { nonce: 1, to: bob })
      const two = await sendCalls(chain, [{ to: bob }, { to: bob }])
      await chain.tick()
      expect(await pending(chain)).toEqual([])
      await sendCalls(chain, [{ to: bob }])
      await chain.tick()
      expect(await pending(chain)).toEqual([0, 1, 2, 3].map((nonce) => [alice, nonce]))
      expect((await statusOf(chain, two)).preconf).toBe('200, 2 receipts')
    })

    it('can call a contract that an earlier call creates', async () => {
      const { chain, alice } = await start()
      await send(chain, 0, { nonce: 0, to: alice })
      const created = getContractAddress({ from: alice, nonce: 1n })
      const call = { to: created, data: tokenCall('transfer', [alice, 1n]) }
      const id = await sendCalls(chain, [{ data: encodeDeployData(Token) }, call])
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('200, 2 receipts'))
    })

    it('can be sent for an impersonated account, also a contract', async () => {
      const { chain, bob, token, transfer, balanceOf } = await start()
      await chain.preconf.request({
        method: 'anvil_setBalance',
        params: [token, numberToHex(parseEther('1'))],
      })
      await chain.preconf.request({ method: 'anvil_impersonateAccount', params: [token] })
      await sendCalls(chain, [transfer(token, 7n)])
      await chain.tick()
      const id = await sendCalls(chain, [transfer(bob, 3n), transfer(bob, 4n)], { from: token })
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('200, 2 receipts'))
      expect(await balanceOf(bob)).toBe(7n)
    })

    it('is sealed when the request resolves in auto mining', async () => {
      const { chain, bob } = await start({ mining: 'auto' })
      const id = await sendCalls(chain, [{ to: bob }, { to: bob }])
      expect(await statusOf(chain, id)).toEqual(both('200, 2 receipts'))
    })

    it('has a generated id that batches of other accounts do not change', async () => {
      const idsOf = async (first: 0 | 1) => {
        const { chain, alice, bob } = await start()
        const senders = first === 0 ? [alice, bob] : [bob, alice]
        const ids: Record<string, string> = {}
        for (const from of senders) ids[from] = await sendCalls(chain, [{ to: bob }], { from })
        return ids
      }
      expect(await idsOf(1)).toEqual(await idsOf(0))
    })

    it('has the given id, or a generated one that is the same on every chain', async () => {
      const ids = async () => {
        const { chain, bob } = await start()
        const own = [await sendCalls(chain, [{ to: bob }]), await sendCalls(chain, [{ to: bob }])]
        return [...own, await sendCalls(chain, [{ to: bob }], { id: 'mine' })]
      }
      const [first, second, given] = await ids()
      expect(first).toMatch(/^0x[0-9a-f]{64}$/)
      expect(second).not.toBe(first)
      expect(given).toBe('mine')
      expect(await ids()).toEqual([first, second, given])
    })
  })

  describe('a failing batch', () => {
    it('is refused if a call would fail, and nothing is sent', async () => {
      const { chain, bob, probe, transfer } = await start()
      const failing = { to: probe, data: probeCall('fail') }
      for (const calls of [
        [transfer(bob, 1n), failing],
        [transfer(bob, 60n), transfer(bob, 60n)],
      ]) {
        for (const view of ['standard', 'preconf'] as const) {
          const answer = await ask(chain[view], 'wallet_sendCalls', [request(calls, { id: 'again' })])
          expect(answer).toMatch(/^error -32000 execution reverted "/)
        }
      }
      const rich = [{ to: bob, value: numberToHex(parseEther('6000')) }]
      expect(
        await ask(chain.preconf, 'wallet_sendCalls', [request([...rich, ...rich], { id: 'again' })]),
      ).toBe('error -32000 insufficient funds for gas * price + value')
      expect(await waiting(chain)).toEqual(NOTHING)
      expect(await ask(chain.preconf, 'wallet_getCallsStatus', ['again'])).toBe(
        'error 5730 unknown batch ID again',
      )
    })

    it('has no effect if it fails on inclusion, and its sender pays nothing', async () => {
      const { chain, alice, bob, transfer, balanceOf } = await start()
      const drops: unknown[] = []
      chain.on('dropped', (drop) => drops.push(drop))
      const first = await sendCalls(chain, [transfer(bob, 60n)])
      const second = await sendCalls(chain, [{ to: bob, value: '0x1' }, transfer(bob, 60n)])
      const before = await ask(chain.preconf, 'eth_getBalance', [bob, 'pending'])
      await chain.tick()
      expect(await statusOf(chain, first)).toEqual({
        standard: '100, 0 receipts',
        preconf: '200, 1 receipts',
      })
      expect(await statusOf(chain, second)).toEqual(both('500, 0 receipts'))
      expect(await pending(chain)).toEqual([[alice, 0]])
      expect(await ask(chain.preconf, 'eth_getBalance', [bob, 'pending'])).toBe(before)
      expect(await balanceOf(bob)).toBe(60n)
      const message = 'calls[1] of its batch failed: execution reverted'
      expect(drops).toMatchObject([
        { reason: 'reverted', message },
        { reason: 'reverted', message },
      ])
      expect(await waiting(chain)).toEqual(NOTHING)
      await chain.seal()
      expect(await statusOf(chain, second)).toEqual(both('500, 0 receipts'))
    })

    it('keeps its status if the same calls are sent again', async () => {
      const { chain, bob, transfer } = await start()
      const statuses = (ids: readonly string[]) =>
        Promise.all(ids.map(async (id) => (await statusOf(chain, id)).preconf))
      const drop = () => chain.preconf.request({ method: 'anvil_dropAllTransactions' })
      const first = await sendCalls(chain, [{ to: bob }, transfer(bob, 1n)])
      await drop()
      // First the same batch, then its first call with another one, then the first call alone.
      const second = await sendCalls(chain, [{ to: bob }, transfer(bob, 1n)])
      expect(await statuses([first, second])).toEqual(['400, 0 receipts', '100, 0 receipts'])
      await drop()
      const third = await sendCalls(chain, [{ to: bob }, transfer(bob, 2n)])
      const ids = [first, second, third]
      await chain.tick()
      expect(await statuses(ids)).toEqual(['400, 0 receipts', '400, 0 receipts', '200, 2 receipts'])
      await drop()
      const params = [{ from: chain.accounts[0]!.address, to: bob }] as const
      await chain.preconf.request({ method: 'eth_sendTransaction', params: [...params] })
      await chain.seal()
      expect(await statuses(ids)).toEqual(Array(3).fill('400, 0 receipts'))
    })

    it('emits no console entries', async () => {
      const { chain, bob, transfer } = await start()
      const messages: unknown[] = []
      chain.on('console', ({ message }) => messages.push(message))
      await sendCalls(chain, [transfer(bob, 60n)])
      const log = { to: '0x000000000000000000636F6e736F6c652e6c6f67' as const, data: CONSOLE_HELLO }
      await sendCalls(chain, [log, transfer(bob, 60n)])
      await chain.tick()
      expect(messages).toEqual([])
      await sendCalls(chain, [log, transfer(bob, 40n)])
      await chain.tick()
      expect(messages).toEqual(['hello'])
    })

    it('is dropped as a whole if one of its transactions is dropped', async () => {
      const { chain, bob } = await start()
      const hashesOf = async (id: string): Promise<Hash[]> => {
        const { pending } = (await chain.preconf.request({ method: 'txpool_content' })) as unknown as {
          readonly pending: Readonly<Record<string, Readonly<Record<string, { readonly hash: Hash }>>>>
        }
        expect(await statusOf(chain, id)).toEqual(both('100, 0 receipts'))
        return Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
      }
      const dropped = await sendCalls(chain, [{ to: bob }, { to: bob }, { to: bob }])
      const [, second] = await hashesOf(dropped)
      await chain.preconf.request({ method: 'anvil_dropTransaction', params: [second!] })
      expect(await statusOf(chain, dropped)).toEqual(both('400, 0 receipts'))
      expect(await waiting(chain)).toEqual(NOTHING)

      const replaced = await sendCalls(chain, [{ to: bob }, { to: bob }])
      await send(chain, 0, {
        nonce: 1,
        to: bob,
        maxFeePerGas: parseGwei('50'),
        maxPriorityFeePerGas: parseGwei('9'),
      })
      expect(await statusOf(chain, replaced)).toEqual(both('400, 0 receipts'))
      expect(await waiting(chain)).toEqual({ pending: '0x0', queued: '0x1' })
      await chain.preconf.request({ method: 'anvil_dropAllTransactions' })

      const stale = await sendCalls(chain, [{ to: bob }, { to: bob }])
      await chain.preconf.request({ method: 'anvil_setNonce', params: [chain.accounts[0]!.address, '0x1'] })
      await chain.tick()
      expect(await statusOf(chain, stale)).toEqual(both('400, 0 receipts'))
      expect(await waiting(chain)).toEqual(NOTHING)
      expect(await pending(chain)).toEqual([])
    })
  })

  /** Calldata of `console.log('hello')`. */
  const CONSOLE_HELLO: Hex = `0x41304fac${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${'68656c6c6f'.padEnd(64, '0')}`

  describe('a batch that needs much gas', () => {
    it('is included if the transactions before it use less gas than their limits', async () => {
      const { chain, bob, alice } = await start({ gasLimit: 5_100_000n })
      await send(chain, 1, { nonce: 0, to: bob, gas: 5_050_000n, maxPriorityFeePerGas: parseGwei('5') })
      const id = await sendCalls(chain, [{ to: bob }, { to: bob }, { to: bob }])
      await chain.tick()
      // The first transaction used less than its limit, which leaves room for the batch.
      expect(await pending(chain)).toEqual([[bob, 0], ...[0, 1, 2].map((nonce) => [alice, nonce])])
      expect(await statusOf(chain, id)).toEqual({ standard: '100, 0 receipts', preconf: '200, 3 receipts' })
    })

    it('is refused if it exceeds a block and must be atomic, otherwise sent block by block', async () => {
      const { chain, probe, alice } = await start({}, { skipHeaderValidation: true })
      const calls = [1n, 2n, 3n].map((slot) => ({ to: probe, data: probeCall('set', [slot, 1n]) }))
      await chain.preconf.request({ method: 'evm_setBlockGasLimit', params: ['0xea60'] })
      const answer = await ask(chain.preconf, 'wallet_sendCalls', [request(calls)])
      expect(answer).toMatch(
        /^error 5760 atomic batch too large for one block: its calls need \d+ gas, limit 60000$/,
      )
      expect(await waiting(chain)).toEqual(NOTHING)

      const id = await sendCalls(chain, calls, { atomicRequired: false })
      const { atomic } = await chain.preconf.request({ method: 'wallet_getCallsStatus', params: [id] })
      expect(atomic).toBe(false)
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('100, 1 receipts'))
      expect(await pending(chain)).toEqual([])
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('100, 2 receipts'))
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('200, 3 receipts'))
      expect(await ask(chain.preconf, 'eth_getTransactionCount', [alice, 'latest'])).toBe('0x3')
    })

    it('is dropped if it no longer fits into any block', async () => {
      const { chain, bob } = await start({}, { skipHeaderValidation: true })
      const id = await sendCalls(chain, [{ to: bob }, { to: bob }])
      await chain.preconf.request({ method: 'evm_setBlockGasLimit', params: ['0x9c40'] })
      await chain.tick()
      expect(await statusOf(chain, id)).toEqual(both('400, 0 receipts'))
    })
  })

  describe('retractions and reorgs', () => {
    it('withdraw a batch as a whole, and include it again as a whole', async () => {
      const { chain, alice, bob } = await start()
      await send(chain, 1, { nonce: 0, to: bob, maxPriorityFeePerGas: parseGwei('9') })
      const id = await sendCalls(chain, [{ to: bob }, { to: bob }, { to: bob }])
      const { block } = await chain.tick()
      await chain.retract({ transactions: [block.transactions[2]!.hash] })
      expect(await pending(chain)).toEqual([[bob, 0]])
      expect(await statusOf(chain, id)).toEqual(both('100, 0 receipts'))
      await chain.seal()
      expect(await statusOf(chain, id)).toEqual(both('200, 3 receipts'))

      await chain.preconf.request({ method: 'anvil_rollback', params: [1] })
      expect(await statusOf(chain, id)).toEqual(both('100, 0 receipts'))
      await chain.tick()
      expect(await pending(chain)).toEqual([[bob, 0], ...[0, 1, 2].map((nonce) => [alice, nonce])])
      const again = await chain.preconf.request({
        method: 'eth_getBlockByNumber',
        params: ['pending', false],
      })
      await chain.preconf.request({
        method: 'anvil_dropTransaction',
        params: [again!.transactions[3] as Hash],
      })
      expect(await pending(chain)).toEqual([[bob, 0]])
      expect(await statusOf(chain, id)).toEqual(both('400, 0 receipts'))
    })

    it('drop a batch that fails on a changed state', async () => {
      const { chain, alice, bob, token, transfer } = await start()
      const id = await sendCalls(chain, [{ to: bob, value: '0x1' }, transfer(bob, 100n)])
      await chain.tick()
      await chain.preconf.request({ method: 'anvil_dealERC20', params: [alice, token, '0x63'] })
      expect(await statusOf(chain, id)).toEqual(both('100, 0 receipts'))
      expect(await pending(chain)).toEqual([])
      await chain.tick()
      expect(await statusOf(chain, id)).toEqual(both('500, 0 receipts'))
    })

    it('can leave one transaction of a batch in a block, which its status shows', async () => {
      const { chain, bob } = await start()
      const id = await sendCalls(chain, [{ to: bob }, { to: bob }])
      const { block } = await chain.seal()
      const raw = await chain.preconf.request({
        method: 'eth_getRawTransactionByHash',
        params: [block.transactions[0]!.hash],
      })
      await chain.reorg({ depth: 1, replace: [[raw as Hex]] })
      expect(await statusOf(chain, id)).toEqual(both('600, 1 receipts'))
      expect(await waiting(chain)).toEqual(NOTHING)
    })

    it('forget a batch that was sent after the snapshot, and keep one from before it', async () => {
      const { chain, bob } = await start()
      const first = await sendCalls(chain, [{ to: bob }, { to: bob }])
      const snapshot = await chain.snapshot()
      const second = await sendCalls(chain, [{ to: bob }])
      await chain.seal()
      await chain.revert(snapshot)
      expect(await statusOf(chain, first)).toEqual(both('100, 0 receipts'))
      expect(await ask(chain.standard, 'wallet_getCallsStatus', [second])).toBe(
        `error 5730 unknown batch ID ${second}`,
      )
      expect(await sendCalls(chain, [{ to: bob }])).toBe(second)
      await chain.seal()
      expect(await statusOf(chain, first)).toEqual(both('200, 2 receipts'))
    })
  })

  it('refuses invalid and unsupported requests with the code of the reason', async () => {
    const { chain, bob } = await start({ mempool: { maxPerSender: 3 } })
    const calls = [{ to: bob }]
    await sendCalls(chain, calls, { id: 'known' })
    const answers: Record<string, unknown> = {}
    const requests: Record<string, unknown> = {
      'another chain': request(calls, { chainId: '0x1' }),
      'its chain with a leading zero': request(calls, { chainId: '0x07a69' }),
      'an id there is': request(calls, { id: 'known' }),
      'a capability': request(calls, { capabilities: { paymasterService: { url: 'x' } } }),
      'a capability of a call': request([{ to: bob, capabilities: { auxiliaryFunds: { optional: false } } }]),
      'capabilities it can do without': request([{ to: bob, capabilities: { x: { optional: true } } }], {
        capabilities: { y: { optional: true, more: 1 } },
      }),
      'more calls than may wait': request(Array(4).fill({ to: bob })),
      'more than may wait still': request(Array(2).fill({ to: bob })),
      'a stranger': request(calls, { from: `0x${'99'.repeat(20)}` }),
      'no call': request([]),
      'nothing to do': request([{}]),
      'version 1': { ...request(calls), version: '1.0' },
      'no word on atomicity': { ...request(calls), atomicRequired: undefined },
      'too long an id': request(calls, { id: `0x${'0'.repeat(8193)}` }),
      'an id that is none': { ...request(calls), id: 5 },
      'no chain': { ...request(calls), chainId: undefined },
      'no object': 'calls',
    }
    for (const [name, one] of Object.entries(requests)) {
      const answer = await ask(chain.preconf, 'wallet_sendCalls', [one])
      answers[name] = typeof answer === 'string' ? answer.slice(0, 100) : Object.keys(answer as object)
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "a capability": "error 5700 unsupported capability paymasterService",
        "a capability of a call": "error 5700 unsupported capability auxiliaryFunds",
        "a stranger": "error 4100 unknown account 0x9999999999999999999999999999999999999999",
        "an id that is none": "error -32602 invalid argument 0.id: expected an id of up to 4096 bytes",
        "an id there is": "error 5720 duplicate batch ID known",
        "another chain": "error 5710 unsupported chain ID 0x1",
        "capabilities it can do without": [
          "id",
        ],
        "its chain with a leading zero": [
          "id",
        ],
        "more calls than may wait": "error 5740 batch too large: 4 calls, limit 3",
        "more than may wait still": "error -32000 account limit exceeded",
        "no call": "error -32602 invalid argument 0.calls: expected at least one call",
        "no chain": "error -32602 invalid argument 0.chainId: expected a hex string of up to 32 bytes",
        "no object": "error -32602 invalid argument 0: expected an object",
        "no word on atomicity": "error -32602 invalid argument 0.atomicRequired: expected a boolean",
        "nothing to do": "error -32602 invalid argument 0.calls[0].to: expected a 20-byte address",
        "too long an id": "error -32602 invalid argument 0.id: expected an id of up to 4096 bytes",
        "version 1": "error -32602 invalid argument 0.version: expected '2.0.0'",
      }
    `)
    await chain.preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await ask(chain.preconf, 'wallet_sendCalls', [request(calls)])).toMatchInlineSnapshot(
      `"error -32602 invalid argument 0.from: expected an address, as the connection has no accounts"`,
    )
    expect(
      await ask(chain.preconf, 'wallet_sendCalls', [request(calls, { from: bob })]),
    ).toMatchInlineSnapshot(`"error 4100 unknown account 0x70997970c51812dc3a010c7d01b50e0d17dc79c8"`)
  })

  it('estimates each of several concurrent batches after those before it, in auto mining', async () => {
    const chain = await startChain({ mining: 'auto' })
    const to = `0x${'aa'.repeat(20)}` as const
    // Counts its calls in slot 0, and writes another slot from the second call on.
    await ask(chain.standard, 'anvil_setCode', [to, '0x600054806001016000558015601357600190555b00'])
    await sendCalls(chain, [{ to: chain.accounts[1]!.address }])
    const ids = await Promise.all([1, 2, 3].map(() => sendCalls(chain, [{ to }])))
    expect(await Promise.all(ids.map((id) => statusOf(chain, id)))).toEqual(
      Array(3).fill(both('200, 1 receipts')),
    )
  })
})
