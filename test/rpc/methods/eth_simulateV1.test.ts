import { encodeAbiParameters, getContractAddress, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, test } from 'vitest'
import type { PresealRpcError } from '../../../src/base/errors.ts'
import type { SimulatedRpcBlock, SimulatedRpcCall } from '../../../src/base/rpcTypes.ts'
import type { Address, Hex, Provider } from '../../../src/index.ts'
import { Probe } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'
import { ask, blockForms, probeCall, type Scene, send, startScene, tokenCall } from '../scene.ts'

const ETHER = 10n ** 18n
const NOBODY: Address = `0x${'99'.repeat(20)}`
const SINK: Address = `0x${'55'.repeat(20)}`
const IDENTITY: Address = '0x0000000000000000000000000000000000000004'
const SHA256: Address = '0x0000000000000000000000000000000000000002'

/** A block to simulate, in wire JSON. */
interface Plan {
  readonly calls?: readonly Record<string, unknown>[]
  readonly stateOverrides?: Record<Address, Record<string, unknown>>
  readonly blockOverrides?: Record<string, unknown>
}

function simulate(
  provider: Provider,
  blockStateCalls: readonly Plan[],
  options: Record<string, unknown> = {},
  block: unknown = 'latest',
): Promise<SimulatedRpcBlock[]> {
  const params = [{ blockStateCalls, ...options }, block]
  return provider.request({ method: 'eth_simulateV1', params }) as Promise<SimulatedRpcBlock[]>
}

/** The call results of a single block. */
async function callsOf(
  provider: Provider,
  plan: Plan,
  options?: Record<string, unknown>,
  block?: unknown,
): Promise<readonly SimulatedRpcCall[]> {
  const [result] = await simulate(provider, [plan], options, block)
  return result!.calls
}

const words = (data: Hex): bigint[] =>
  Array.from({ length: (data.length - 2) / 64 }, (_, i) => BigInt(`0x${data.slice(2 + 64 * i, 66 + 64 * i)}`))
const word = (value: bigint | Hex): Hex => toHex(BigInt(value), { size: 32 })

const geth = (scene: Scene) => scene.chain.provider('preconf', { dialect: 'geth' })

describe('eth_simulateV1', () => {
  describe('the method (spec.md §4.2)', () => {
    it('is available on preconf only; in the geth dialect, on both views', async () => {
      const { chain } = await startScene()
      const params = [{ blockStateCalls: [{}] }, 'latest']
      const missing = 'error -32601 the method eth_simulateV1 does not exist/is not available'
      expect(await ask(chain.standard, 'eth_simulateV1', params)).toBe(missing)
      expect(await ask(chain.preconf, 'eth_simulateV1', params)).toMatchObject([{ number: '0x3', calls: [] }])
      for (const view of ['standard', 'preconf'] as const) {
        const provider = chain.provider(view, { dialect: 'geth' })
        expect(await ask(provider, 'eth_simulateV1', params)).toMatchObject([{ number: '0x3', calls: [] }])
      }
    })

    it('accepts any form of a block, and defaults to latest', async () => {
      const scene = await startScene()
      const forms = blockForms(scene, (block) => [{ blockStateCalls: [{}] }, block])
      const numbers: Record<string, unknown> = {}
      for (const [name, params] of Object.entries({ ...forms, absent: [{ blockStateCalls: [{}] }] })) {
        const answer = await ask(scene.chain.preconf, 'eth_simulateV1', params)
        numbers[name] = typeof answer === 'string' ? answer : (answer as SimulatedRpcBlock[])[0]!.number
      }
      expect(numbers).toEqual({
        earliest: '0x1',
        finalized: '0x1',
        safe: '0x2',
        latest: '0x3',
        pending: '0x4',
        '0x1': '0x2',
        '0x2': '0x3',
        '0x3': '0x4',
        '0x4': 'error -32000 header not found',
        'hash of block 1': '0x2',
        'EIP-1898 hash': '0x2',
        'EIP-1898 canonical hash': '0x2',
        'EIP-1898 number': '0x2',
        'hash of the preconf block': '0x4',
        'hash of the preconf block before': '0x4',
        'unknown hash': 'error -32000 header not found',
        absent: '0x3',
      })
    })

    it('continues the block under construction on pending (spec.md 23)', async () => {
      const { chain, accounts, token, preconfBlock } = await startScene()
      const [block] = await simulate(
        chain.preconf,
        [{ calls: [{ to: token, data: tokenCall('balanceOf', [accounts[1]]) }] }],
        {},
        'pending',
      )
      expect(block).toMatchObject({ number: '0x4', parentHash: preconfBlock.block.hash })
      expect(words(block!.calls[0]!.returnData)).toEqual([7n])
      const [sealed] = await simulate(chain.preconf, [
        { calls: [{ to: token, data: tokenCall('balanceOf', [accounts[1]]) }] },
      ])
      expect(words(sealed!.calls[0]!.returnData)).toEqual([2n])
    })

    it('continues the head on pending of standard in the geth dialect', async () => {
      const { chain, second } = await startScene()
      const [block] = await simulate(chain.provider('standard', { dialect: 'geth' }), [{}], {}, 'pending')
      expect(block).toMatchObject({ number: '0x3', parentHash: second.block.hash })
    })

    it('rebuilds roots of blocks that are older than history.proofs', async () => {
      const [pruned, kept] = await Promise.all(
        [0, 128].map(async (proofs) => {
          const { chain, accounts } = await startScene({ history: { proofs } })
          const calls = [{ from: accounts[0], to: accounts[1], value: '0x1' }]
          return simulate(chain.preconf, [{ calls }], {}, '0x1')
        }),
      )
      expect(pruned).toEqual(kept)
      expect(pruned![0]!.number).toBe('0x2')
    })

    it('changes nothing', async () => {
      const { chain, accounts } = await startScene()
      const read = () =>
        Promise.all([
          chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', true] }),
          chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['latest', true] }),
          chain.preconf.request({ method: 'eth_getTransactionCount', params: [accounts[0]!, 'pending'] }),
          chain.preconf.request({ method: 'txpool_content' }),
        ])
      const before = await read()
      const plan = {
        calls: [{ from: accounts[0], to: SINK, value: '0x1' }],
        stateOverrides: { [SINK]: { nonce: '0x7' } },
      }
      await simulate(chain.preconf, [plan, plan], {}, 'pending')
      expect(await read()).toEqual(before)
      await chain.seal()
    })
  })

  describe('the payload (spec.md §2.7)', () => {
    it('has one result per entry of blockStateCalls; results of gaps are in the geth dialect only', async () => {
      const scene = await startScene()
      const plans = [{}, { blockOverrides: { number: '0x6' } }, {}]
      const shape = ({ number, timestamp, parentHash, hash }: SimulatedRpcBlock) => ({
        number,
        timestamp,
        parentHash,
        hash,
      })
      const all = (await simulate(geth(scene), plans)).map(shape)
      const start = BigInt(scene.second.block.timestamp)
      expect(all.map(({ number, timestamp }) => [number, BigInt(timestamp) - start])).toEqual([
        ['0x3', 12n],
        ['0x4', 24n],
        ['0x5', 36n],
        ['0x6', 48n],
        ['0x7', 60n],
      ])
      for (const [i, { parentHash }] of all.entries()) {
        expect(parentHash).toBe(i === 0 ? scene.second.block.hash : all[i - 1]!.hash)
      }
      const preconf = (await simulate(scene.chain.preconf, plans)).map(shape)
      expect(preconf).toEqual([all[0], all[3], all[4]])
    })

    it('logs transfers of ether only with traceTransfers, false by default', async () => {
      const { chain, accounts, probe } = await startScene()
      const [alice, bob] = accounts as [Address, Address]
      const calls = [
        { from: alice, to: bob, value: '0x5' },
        { from: alice, to: probe, value: '0x7', data: probeCall('call63', [SINK, '0x']) },
        { from: alice, to: probe, data: probeCall('emitLogs', [1n]) },
      ]
      const summary = (all: readonly SimulatedRpcCall[]) =>
        all.map(({ logs }) =>
          logs.map(({ address, topics, data, logIndex }) => ({ address, topics, data, logIndex })),
        )
      const transfer = (from: Hex, to: Hex, value: bigint, logIndex: Hex) => ({
        address: `0x${'ee'.repeat(20)}`,
        topics: [keccak256(toHex('Transfer(address,address,uint256)')), word(from), word(to)],
        data: word(value),
        logIndex,
      })
      const ping = (logIndex: Hex) => ({
        address: probe,
        topics: [keccak256(toHex('Ping(address,uint256,bytes)')), word(alice), word(0n)],
        data: encodeAbiParameters([{ type: 'bytes' }], ['0x']),
        logIndex,
      })
      for (const options of [{}, { traceTransfers: false }]) {
        expect(summary(await callsOf(chain.preconf, { calls }, options))).toEqual([[], [], [ping('0x0')]])
      }
      expect(summary(await callsOf(chain.preconf, { calls }, { traceTransfers: true }))).toEqual([
        [transfer(alice, bob, 5n, '0x0')],
        [transfer(alice, probe, 7n, '0x1'), transfer(probe, SINK, 7n, '0x2')],
        [ping('0x3')],
      ])
      const [block] = await simulate(chain.preconf, [{ calls: [calls[0]!] }], { traceTransfers: true })
      expect(BigInt(block!.logsBloom)).toBe(0n)
    })

    it('checks nonce and balance only with validation, and reports failures in the call', async () => {
      const { chain, accounts } = await startScene()
      const [alice] = accounts as [Address]
      const calls = [
        { from: NOBODY, to: SINK, value: '0x64' },
        { from: alice, to: SINK, value: '0x1', nonce: '0x0' },
        { from: alice, to: SINK, value: '0x1', nonce: '0x63' },
      ]
      for (const options of [{}, { validation: false }]) {
        expect((await callsOf(chain.preconf, { calls }, options)).map(({ status }) => status)).toEqual([
          '0x1',
          '0x1',
          '0x1',
        ])
      }
      const priced = calls.map((call) => ({ ...call, gas: '0x5208', maxFeePerGas: '0x77359400' }))
      const refused = (error: string) => ({
        status: '0x0',
        returnData: '0x',
        gasUsed: '0x0',
        maxUsedGas: '0x0',
        logs: [],
        error,
      })
      const [block] = await simulate(
        chain.preconf,
        [{ calls: [...priced, { ...priced[1], nonce: '0x3' }] }],
        {
          validation: true,
        },
      )
      expect(block!.calls).toEqual([
        refused('insufficient funds for gas * price + value'),
        refused('nonce too low'),
        refused('nonce too high'),
        { status: '0x1', returnData: '0x', gasUsed: '0x5208', maxUsedGas: '0x5208', logs: [] },
      ])
      expect(block!.transactions).toHaveLength(1)
      const [unpriced] = await callsOf(
        chain.preconf,
        { calls: [{ from: alice, to: SINK }] },
        { validation: true },
      )
      expect(unpriced).toMatchObject({
        error: expect.stringMatching(/^max fee per gas less than block base fee/),
      })
    })

    it('has whole transactions in the result with returnFullTransactions', async () => {
      const { chain, accounts } = await startScene()
      const [alice, bob] = accounts as [Address, Address]
      const plan = { calls: [{ from: alice, to: bob, value: '0x1', gas: '0x5208' }] }
      const [[hashes], [whole]] = await Promise.all([
        simulate(chain.preconf, [plan]),
        simulate(chain.preconf, [plan], { returnFullTransactions: true }),
      ])
      expect(hashes!.hash).toBe(whole!.hash)
      expect(whole!.transactions).toEqual([
        {
          hash: hashes!.transactions[0],
          type: '0x2',
          nonce: '0x3',
          from: alice,
          to: bob,
          value: '0x1',
          gas: '0x5208',
          gasPrice: '0x0',
          maxFeePerGas: '0x0',
          maxPriorityFeePerGas: '0x0',
          input: '0x',
          accessList: [],
          chainId: '0x7a69',
          v: '0x0',
          r: '0x0',
          s: '0x0',
          yParity: '0x0',
          blockHash: whole!.hash,
          blockNumber: '0x3',
          blockTimestamp: whole!.timestamp,
          transactionIndex: '0x0',
        },
      ])
    })

    it.each<[string, unknown, string]>([
      ['no payload', [], 'error -32602 invalid argument count: expected 1 to 2, got 0'],
      ['no blockStateCalls', [{}], 'error -32602 invalid argument 0.blockStateCalls: expected an array'],
      ['no block', [{ blockStateCalls: [] }], 'error -32602 empty input'],
      [
        'calls that are no array',
        [{ blockStateCalls: [{ calls: {} }] }],
        'error -32602 invalid argument 0.blockStateCalls[0].calls: expected an array',
      ],
      [
        'a call to another chain',
        [{ blockStateCalls: [{ calls: [{ chainId: '0x1' }] }] }],
        "error -32602 invalid argument 0.blockStateCalls[0].calls[0].chainId: expected this chain's id (31337)",
      ],
      [
        'state and stateDiff',
        [{ blockStateCalls: [{ stateOverrides: { [SINK]: { state: {}, stateDiff: {} } } }] }],
        `error -32602 invalid argument 0.blockStateCalls[0].stateOverrides.${SINK}.stateDiff: expected no value if state is given`,
      ],
      [
        'a validation that is no boolean',
        [{ blockStateCalls: [{}], validation: 'yes' }],
        'error -32602 invalid argument 0.validation: expected a boolean',
      ],
    ])('refuses %s', async (_name, params, error) => {
      const { chain } = await startScene()
      expect(await ask(chain.preconf, 'eth_simulateV1', params)).toBe(error)
    })
  })

  describe('a block result (spec.md §2.7)', () => {
    it('has all fields of a block, and the calls in the order of the request', async () => {
      const { chain, accounts, second } = await startScene()
      const [block] = await simulate(chain.preconf, [
        {
          calls: [
            { from: accounts[1], to: SINK, value: '0x1' },
            { from: accounts[0], to: SINK },
          ],
        },
      ])
      const own = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
      expect(Object.keys(block!).sort()).toEqual([...Object.keys(own!), 'calls'].sort())
      expect(block).toMatchObject({
        number: '0x3',
        parentHash: second.block.hash,
        timestamp: toHex(BigInt(second.block.timestamp) + 12n),
        gasUsed: '0xa410',
        baseFeePerGas: '0x0',
        extraData: '0x',
        mixHash: word(0n),
        parentBeaconBlockRoot: word(0n),
        difficulty: '0x0',
        uncles: [],
        withdrawals: [],
      })
      expect(block!.transactions).toHaveLength(2)
      expect(block!.calls).toHaveLength(2)
    })

    it('has the base fee that follows from the parent with validation (EIP-1559)', async () => {
      const { chain } = await startScene()
      const [block, next] = await simulate(chain.preconf, [{}, {}], { validation: true })
      const parent = await chain.preconf.request({ method: 'eth_feeHistory', params: ['0x1', 'latest'] })
      expect(block!.baseFeePerGas).toBe(parent.baseFeePerGas[1])
      const base = BigInt(block!.baseFeePerGas!)
      expect(BigInt(next!.baseFeePerGas!)).toBe(base - base / 8n)
    })

    it('equals the sealed block of the same transactions, except their signatures', async () => {
      const { chain, probe } = await startScene()
      await chain.seal()
      await chain.clock.advance(2000)
      const drafts = [
        { index: 0, nonce: 5, to: SINK, value: 3n },
        { index: 0, nonce: 6, to: probe, data: probeCall('emitLogs', [3n]) },
        { index: 1, nonce: 3, to: probe, data: probeCall('fill', [2n]), gas: 100_000n },
        { index: 1, nonce: 4, to: probe, data: probeCall('fail') },
        { index: 4, nonce: 0, data: `0x${'00'.repeat(3)}` as Hex },
      ]
      await chain.tick()
      for (const { index, ...draft } of drafts) await send(chain, index, draft)
      // The block includes account 2's waiting transaction too.
      const { block, receipts } = await chain.seal()
      const calls = block.transactions.map(
        ({ from, to, value, input, gas, nonce, maxFeePerGas, maxPriorityFeePerGas }) => ({
          from,
          to,
          value,
          input,
          gas,
          nonce,
          maxFeePerGas,
          maxPriorityFeePerGas,
        }),
      )
      const [simulated] = await simulate(
        chain.preconf,
        [{ calls, blockOverrides: { time: block.timestamp, prevRandao: block.mixHash } }],
        { validation: true },
        block.parentHash,
      )
      const fields = [
        'number',
        'stateRoot',
        'receiptsRoot',
        'logsBloom',
        'gasUsed',
        'baseFeePerGas',
        'requestsHash',
        'miner',
      ] as const
      for (const field of fields) expect([field, simulated![field]]).toEqual([field, block[field]])
      expect(simulated!.calls.map(({ status, gasUsed }) => ({ status, gasUsed }))).toEqual(
        receipts.map(({ status, gasUsed }) => ({ status, gasUsed })),
      )
    })
  })

  describe('a call result (spec.md §2.7)', () => {
    it('has status, gas, data and logs, and the message of a failure', async () => {
      const { chain, accounts, probe } = await startScene()
      const call = (name: string, args?: readonly unknown[]) => ({
        from: accounts[0],
        to: probe,
        data: probeCall(name, args),
      })
      const calls = [
        call('get', [7n]),
        call('fail'),
        call('failEmpty'),
        { ...call('loop'), gas: '0xffff' },
        { ...call('invalid'), gas: '0xffff' },
      ]
      const results = await callsOf(chain.preconf, { calls })
      const outcome = results.map(({ status, returnData, error, logs }) => ({
        status,
        returnData,
        error,
        logs,
      }))
      const nope = `${keccak256(toHex('Nope(uint256)')).slice(0, 10)}${word(42n).slice(2)}`
      expect(outcome).toEqual([
        { status: '0x1', returnData: word(0n), error: undefined, logs: [] },
        { status: '0x0', returnData: nope, error: 'execution reverted', logs: [] },
        { status: '0x0', returnData: '0x', error: 'execution reverted', logs: [] },
        { status: '0x0', returnData: '0x', error: 'out of gas', logs: [] },
        { status: '0x0', returnData: '0x', error: 'invalid opcode', logs: [] },
      ])
      expect(results[3]!.gasUsed).toBe('0xffff')
      expect(Object.hasOwn(results[0]!, 'error')).toBe(false)
    })

    it('has the gas before refunds in addition to the gas used', async () => {
      const { chain, accounts, probe } = await startScene()
      const call = (name: string) => ({ from: accounts[0], to: probe, data: probeCall(name, [4n]) })
      const [filled, cleared] = await callsOf(chain.preconf, { calls: [call('fill'), call('refund')] })
      expect(filled!.maxUsedGas).toBe(filled!.gasUsed)
      expect(BigInt(cleared!.gasUsed)).toBe(BigInt(cleared!.maxUsedGas) - BigInt(cleared!.maxUsedGas) / 5n)
    })

    it('counts logs of reverted frames in logIndex, but omits them', async () => {
      const { chain, accounts, probe } = await startScene()
      const [alice] = accounts as [Address]
      const calls = [
        // Both transfers are undone: the transfer by the inner call, which reverts, and by the outer one.
        { from: alice, to: probe, value: '0x1', data: probeCall('call63', [probe, probeCall('fail')]) },
        { from: alice, to: SINK, value: '0x2' },
      ]
      const [failed, sent] = await callsOf(chain.preconf, { calls }, { traceTransfers: true })
      expect(failed).toMatchObject({ status: '0x0', logs: [] })
      expect(sent!.logs.map(({ logIndex, data }) => ({ logIndex, data }))).toEqual([
        { logIndex: '0x2', data: word(2n) },
      ])
    })
  })

  describe('state overrides (spec.md §2.7; execution-apis)', () => {
    it('apply before the first call of their block, and to later blocks', async () => {
      const { chain, accounts, probe } = await startScene()
      const read = { to: SINK, data: probeCall('get', [1n]) }
      const code = await chain.preconf.request({ method: 'eth_getCode', params: [probe, 'latest'] })
      const plans: Plan[] = [
        { calls: [read] },
        {
          stateOverrides: {
            [SINK]: { code, stateDiff: { [word(1n)]: word(11n) } },
            [NOBODY]: { balance: toHex(ETHER), nonce: '0x9' },
          },
          calls: [read, { from: NOBODY, to: accounts[1], value: toHex(ETHER), nonce: '0x9' }],
        },
        { calls: [read] },
      ]
      const blocks = await simulate(chain.preconf, plans, { returnFullTransactions: true })
      expect(blocks.map(({ calls }) => calls.map(({ status, returnData }) => [status, returnData]))).toEqual([
        [['0x1', '0x']],
        [
          ['0x1', word(11n)],
          ['0x1', '0x'],
        ],
        [['0x1', word(11n)]],
      ])
    })

    it('replace single slots by stateDiff, and all slots by state', async () => {
      const { chain, probe } = await startScene()
      const read = (slot: bigint) => ({ to: probe, data: probeCall('get', [slot]) })
      const values = async (override: Record<string, unknown>) =>
        (
          await callsOf(
            chain.preconf,
            { stateOverrides: { [probe]: override }, calls: [read(7n), read(8n)] },
            {},
            'pending',
          )
        ).map(({ returnData }) => BigInt(returnData))
      expect(await values({})).toEqual([9n, 0n])
      expect(await values({ stateDiff: { [word(8n)]: word(5n) } })).toEqual([9n, 5n])
      expect(await values({ state: { [word(8n)]: word(5n) } })).toEqual([0n, 5n])
      expect(await values({ state: {} })).toEqual([0n, 0n])
    })

    it('change only the state root of an empty block', async () => {
      const { chain } = await startScene()
      const [plain] = await simulate(chain.preconf, [{}])
      const [changed] = await simulate(chain.preconf, [{ stateOverrides: { [SINK]: { balance: '0x1' } } }])
      expect({ ...changed, stateRoot: '', hash: '' }).toEqual({ ...plain, stateRoot: '', hash: '' })
      expect(changed!.stateRoot).not.toBe(plain!.stateRoot)
    })

    it('move a precompile to a new address for their block', async () => {
      const { chain } = await startScene()
      const data = '0x0102'
      const ask = {
        calls: [
          { to: SINK, data },
          { to: IDENTITY, data },
        ],
      }
      const plans: Plan[] = [
        { ...ask, stateOverrides: { [IDENTITY]: { movePrecompileToAddress: SINK } } },
        ask,
      ]
      const blocks = await simulate(chain.preconf, plans)
      expect(blocks.map(({ calls }) => calls.map(({ returnData }) => returnData))).toEqual([
        ['0x0102', '0x'],
        ['0x', '0x0102'],
      ])
    })

    it('replace a precompile by code', async () => {
      const { chain, probe } = await startScene()
      const code = await chain.preconf.request({ method: 'eth_getCode', params: [probe, 'latest'] })
      const calls = [{ to: IDENTITY, data: probeCall('get', [1n]) }]
      const stateOverrides = { [IDENTITY]: { code, state: { [word(1n)]: word(3n) } } }
      expect(
        (await callsOf(chain.preconf, { stateOverrides, calls })).map(({ returnData }) => returnData),
      ).toEqual([word(3n)])
    })

    it.each<[string, Record<Address, Record<string, unknown>>, string, string?]>([
      [
        'an account that is no precompile',
        { [SINK]: { movePrecompileToAddress: NOBODY } },
        `error -32000 account ${SINK} is not a precompile`,
      ],
      [
        'a precompile to itself (-38022)',
        { [IDENTITY]: { movePrecompileToAddress: IDENTITY } },
        `error -38022 movePrecompileToAddress of ${IDENTITY} references itself`,
        `error -32000 movePrecompileToAddress of ${IDENTITY} references itself`,
      ],
      [
        'two precompiles to one address (-38023)',
        { [IDENTITY]: { movePrecompileToAddress: SINK }, [SHA256]: { movePrecompileToAddress: SINK } },
        `error -38023 more than one movePrecompileToAddress references ${SINK}`,
        'moved',
      ],
      [
        'a precompile to an overridden account',
        { [IDENTITY]: { movePrecompileToAddress: SINK }, [SINK]: { nonce: '0x1' } },
        `error -32000 account ${SINK} is already overridden`,
      ],
    ])('refuse to move %s', async (_name, stateOverrides, preconf, inGeth = preconf) => {
      const scene = await startScene()
      const params = [{ blockStateCalls: [{ stateOverrides, calls: [{ to: SINK, data: '0x0102' }] }] }]
      expect(await ask(scene.chain.preconf, 'eth_simulateV1', params)).toBe(preconf)
      const answer = await ask(geth(scene), 'eth_simulateV1', params)
      // In go-ethereum the higher address wins.
      if (inGeth === 'moved') expect(answer).toMatchObject([{ calls: [{ returnData: '0x0102' }] }])
      else expect(answer).toBe(inGeth)
    })
  })

  describe('block overrides (spec.md §2.7; execution-apis)', () => {
    it('apply to the header and to the calls', async () => {
      const { chain, probe } = await startScene()
      const blockOverrides = {
        number: '0x9',
        time: '0x70000000',
        gasLimit: '0x1000000',
        feeRecipient: SINK,
        prevRandao: word(77n),
        baseFeePerGas: '0x5',
      }
      const plan = { blockOverrides, calls: [{ to: probe, data: probeCall('context') }] }
      const [block] = await simulate(chain.preconf, [plan])
      expect(block).toMatchObject({
        number: '0x9',
        timestamp: '0x70000000',
        gasLimit: '0x1000000',
        miner: SINK,
        mixHash: word(77n),
        baseFeePerGas: '0x5',
      })
      expect(words(block!.calls[0]!.returnData)).toEqual([
        9n,
        0x70000000n,
        5n,
        77n,
        BigInt(SINK),
        0x1000000n,
        31337n,
      ])
    })

    it('apply to later blocks for fee recipient and gas limit only', async () => {
      const { chain } = await startScene()
      const blockOverrides = {
        gasLimit: '0x1000000',
        feeRecipient: SINK,
        prevRandao: word(77n),
        baseFeePerGas: '0x5',
      }
      const [, next] = await simulate(chain.preconf, [{ blockOverrides }, {}])
      expect(next).toMatchObject({
        gasLimit: '0x1000000',
        miner: SINK,
        mixHash: word(0n),
        baseFeePerGas: '0x0',
      })
    })

    it('accept timestamp for time', async () => {
      const { chain } = await startScene()
      const [block] = await simulate(chain.preconf, [{ blockOverrides: { timestamp: '0x70000000' } }])
      expect(block!.timestamp).toBe('0x70000000')
    })

    it('pay withdrawals (EIP-4895)', async () => {
      const { chain } = await startScene()
      const withdrawals = [
        { index: '0x1', validatorIndex: '0x2', address: NOBODY, amount: '0x3' },
        { index: '0x2', validatorIndex: '0x2', address: SINK, amount: '0x0' },
      ]
      const [block, after] = await simulate(
        chain.preconf,
        [
          { blockOverrides: { withdrawals } },
          { calls: [{ from: NOBODY, to: SINK, value: toHex(3n * 10n ** 9n) }] },
        ],
        { traceTransfers: true },
      )
      expect(block!.withdrawals).toEqual(withdrawals)
      expect(block!.withdrawalsRoot).not.toBe(after!.withdrawalsRoot)
      const [empty] = await simulate(chain.preconf, [{ blockOverrides: { withdrawals: [] } }])
      expect(empty!.withdrawalsRoot).toBe(after!.withdrawalsRoot)
      const geth = chain.provider('preconf', { dialect: 'geth' })
      const send = (value: bigint) => ({ calls: [{ from: NOBODY, to: SINK, value: toHex(value) }] })
      await expect(
        simulate(geth, [{ blockOverrides: { withdrawals } }, send(3n * 10n ** 9n + 1n)]),
      ).rejects.toMatchObject({ code: -38014 })
      expect(
        (await simulate(geth, [{ blockOverrides: { withdrawals } }, send(3n * 10n ** 9n)]))[1]!.calls[0]!
          .status,
      ).toBe('0x1')
    })

    it('refuse withdrawals before Shanghai', async () => {
      const { preconf } = await startChain({ hardfork: 'paris' })
      const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: NOBODY, amount: '0x3' }]
      const params = [{ blockStateCalls: [{ blockOverrides: { withdrawals } }] }]
      expect(await ask(preconf, 'eth_simulateV1', params)).toBe(
        'error -32000 withdrawals set before Shanghai activation',
      )
      expect(
        await ask(preconf, 'eth_simulateV1', [
          { blockStateCalls: [{ blockOverrides: { withdrawals: [] } }] },
        ]),
      ).toMatchObject([{ number: '0x1' }])
    })

    it('store the beacon root in its contract (EIP-4788)', async () => {
      const { chain } = await startScene()
      const beaconRoot = word(123n)
      const time = 0x70000000n
      const [block] = await simulate(chain.preconf, [
        {
          blockOverrides: { beaconRoot, time: toHex(time) },
          calls: [{ to: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02', data: word(time) }],
        },
      ])
      expect(block!.parentBeaconBlockRoot).toBe(beaconRoot)
      expect(block!.calls[0]!.returnData).toBe(beaconRoot)
    })

    it('set the blob base fee for the calls, not in the header', async () => {
      const { chain } = await startScene()
      // Returns BLOBBASEFEE.
      const stateOverrides = { [SINK]: { code: '0x4a5f5260205ff3' } }
      const [plain] = await simulate(chain.preconf, [{ stateOverrides, calls: [{ to: SINK }] }])
      const [block] = await simulate(chain.preconf, [
        { stateOverrides, blockOverrides: { blobBaseFee: '0x63' }, calls: [{ to: SINK }] },
      ])
      expect([plain!.calls[0]!.returnData, block!.calls[0]!.returnData]).toEqual([word(1n), word(99n)])
      expect(block!.excessBlobGas).toBe(plain!.excessBlobGas)
    })

    it('leave the difficulty at zero after the merge (EIP-3675)', async () => {
      const { chain, probe } = await startScene()
      const plan = {
        blockOverrides: { difficulty: '0x5' },
        calls: [{ to: probe, data: probeCall('context') }],
      }
      const [block] = await simulate(chain.preconf, [plan])
      expect(block!.difficulty).toBe('0x0')
      expect(words(block!.calls[0]!.returnData)[3]).toBe(0n)
    })

    it('include earlier simulated blocks in BLOCKHASH', async () => {
      const { chain, probe, first, second } = await startScene()
      const hashOf = (number: bigint) => ({ to: probe, data: probeCall('hashOf', [number]) })
      const [one, two] = await simulate(chain.preconf, [
        { calls: [hashOf(1n), hashOf(2n), hashOf(3n)] },
        { calls: [hashOf(2n), hashOf(3n)] },
      ])
      expect(one!.calls.map(({ returnData }) => returnData)).toEqual([
        first.block.hash,
        second.block.hash,
        word(0n),
      ])
      expect(two!.calls.map(({ returnData }) => returnData)).toEqual([second.block.hash, one!.hash])
    })

    it.each<[string, readonly Record<string, unknown>[], string]>([
      [
        'a number at its parent (-38020)',
        [{ number: '0x2' }],
        'error -38020 block numbers must be in order: 2 <= 2',
      ],
      [
        'numbers out of order (-38020)',
        [{ number: '0x7' }, { number: '0x5' }],
        'error -38020 block numbers must be in order: 5 <= 7',
      ],
      [
        'times out of order (-38021)',
        [{ time: '0x70000000' }, { time: '0x70000000' }],
        'error -38021 block timestamps must be in order: 1879048192 <= 1879048192',
      ],
      [
        'a time beyond 64 bits (-38021)',
        [{ time: '0xffffffffffffffff' }, {}],
        'error -38021 block timestamps must be in order: 11 <= 18446744073709551615',
      ],
      [
        'a gap that reaches beyond 64 bits (-38021)',
        [{ time: '0xffffffffffffffff' }, { number: '0x5', time: '0x70000000' }],
        'error -38021 block timestamps must be in order: 11 <= 18446744073709551615',
      ],
      [
        'a time within a gap (-38021)',
        [{ number: '0x7', time: '0x6553f101' }],
        expect.stringMatching(/^error -38021 /) as never,
      ],
      [
        'more than 256 blocks (-38026)',
        Array.from({ length: 257 }, () => ({})),
        'error -38026 too many blocks',
      ],
      ['a gap of more than 256 blocks (-38026)', [{ number: '0x103' }], 'error -38026 too many blocks'],
    ])('refuse %s, in both dialects', async (_name, overrides, error) => {
      const scene = await startScene()
      const params = [{ blockStateCalls: overrides.map((blockOverrides) => ({ blockOverrides })) }]
      expect(await ask(scene.chain.preconf, 'eth_simulateV1', params)).toEqual(error)
      expect(await ask(geth(scene), 'eth_simulateV1', params)).toEqual(error)
    })

    it('span at most 256 blocks, or fewer by an option', async () => {
      const { chain } = await startScene()
      expect(await simulate(chain.preconf, [{ blockOverrides: { number: '0x102' } }])).toHaveLength(1)
      const { chain: small } = await startScene({ limits: { simulateBlocks: 2 } })
      expect(await simulate(small.preconf, [{}, {}])).toHaveLength(2)
      const params = [{ blockStateCalls: [{}, {}, {}] }]
      expect(await ask(small.preconf, 'eth_simulateV1', params)).toBe('error -38026 too many blocks')
    })
  })

  describe('calls', () => {
    it('default to the gas left in their block and in the budget of the request', async () => {
      const { chain, accounts } = await startScene({ limits: { gasCap: 100_000n } })
      const call = { from: accounts[0], to: SINK }
      const blocks = await simulate(
        chain.preconf,
        [{ calls: [call, call] }, { calls: [call, { ...call, gas: '0xffffff' }] }],
        { returnFullTransactions: true },
      )
      const gas = blocks.flatMap(({ transactions }) =>
        transactions.map((tx) => BigInt((tx as { gas: Hex }).gas)),
      )
      expect(gas).toEqual([100_000n, 79_000n, 58_000n, 37_000n])
      const tight = { blockOverrides: { gasLimit: '0xc350' }, calls: [call, call] }
      const [block] = await simulate(chain.preconf, [tight], { returnFullTransactions: true })
      expect(block!.transactions.map((tx) => BigInt((tx as { gas: Hex }).gas))).toEqual([50_000n, 29_000n])
    })

    it('build on one another', async () => {
      const { chain, accounts, token } = await startScene()
      const [alice, bob] = accounts as [Address, Address]
      const give = { from: alice, to: token, data: tokenCall('transfer', [bob, 1n]) }
      const read = { to: token, data: tokenCall('balanceOf', [bob]) }
      const blocks = await simulate(chain.preconf, [{ calls: [read, give, read] }, { calls: [give, read] }])
      expect(blocks.map(({ calls }) => calls.map(({ returnData }) => BigInt(returnData)))).toEqual([
        [2n, 1n, 3n],
        [1n, 4n],
      ])
    })

    it('have the type that their fields imply', async () => {
      const { chain, accounts } = await startScene({ hardfork: 'osaka' })
      const [alice, bob] = accounts as [Address, Address]
      const signer = privateKeyToAccount(chain.accounts[1]!.privateKey)
      const { r, s, yParity, chainId, address, nonce } = await signer.signAuthorization({
        address: SINK,
        chainId: 31337,
        nonce: 1,
      })
      const authorization = {
        r,
        s,
        yParity: toHex(yParity!),
        chainId: toHex(chainId),
        address,
        nonce: toHex(nonce),
      }
      const accessList = [{ address: SINK, storageKeys: [word(1n)] }]
      const base = { from: alice, to: bob, gas: '0x186a0' }
      const gasPrice = '0x3b9aca00'
      const calls = [
        { ...base, gasPrice },
        { ...base, gasPrice, accessList },
        { ...base },
        { ...base, accessList, maxFeePerGas: gasPrice },
        { ...base, authorizationList: [authorization] },
        { ...base, blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas: '0x1' },
      ]
      const [block] = await simulate(chain.preconf, [{ calls }], { returnFullTransactions: true })
      expect(block!.calls.map(({ status, gasUsed, error }) => [status, BigInt(gasUsed), error])).toEqual([
        ['0x1', 21_000n, undefined],
        ['0x1', 25_300n, undefined],
        ['0x1', 21_000n, undefined],
        ['0x1', 25_300n, undefined],
        ['0x1', 36_800n, undefined],
        ['0x1', 21_000n, undefined],
      ])
      const types = block!.transactions.map((tx) => (tx as { type: Hex }).type)
      expect(types).toEqual(['0x0', '0x1', '0x2', '0x2', '0x4', '0x3'])
      expect(block!.blobGasUsed).toBe('0x20000')
    })

    it('create contracts, and call them in the next block', async () => {
      const { chain, accounts, probe } = await startScene()
      const from = accounts[0]!
      const created = getContractAddress({ from, nonce: 3n })
      const read = { to: created, data: probeCall('get', [7n]) }
      const set = { from, to: created, data: probeCall('set', [7n, 5n]) }
      const [one, two] = await simulate(chain.preconf, [
        { calls: [read, { from, data: Probe.bytecode }, read, set] },
        { calls: [read] },
      ])
      const code = await chain.preconf.request({ method: 'eth_getCode', params: [probe, 'latest'] })
      expect(one!.calls.map(({ status, returnData }) => [status, returnData])).toEqual([
        ['0x1', '0x'],
        ['0x1', code],
        ['0x1', word(0n)],
        ['0x1', '0x'],
      ])
      expect(two!.calls[0]!.returnData).toBe(word(5n))
    })

    it('can come from a contract, also with validation: -38024 is never raised', async () => {
      const scene = await startScene()
      const { probe, chain } = scene
      const plan = {
        stateOverrides: { [probe]: { balance: toHex(ETHER) } },
        calls: [{ from: probe, to: SINK, value: '0x1', gas: '0x5208', maxFeePerGas: toHex(10n ** 10n) }],
      }
      for (const provider of [chain.preconf, geth(scene)]) {
        expect(await callsOf(provider, plan, { validation: true })).toMatchObject([{ status: '0x1' }])
      }
    })

    it('wrap nonces around at 64 bits without validation', async () => {
      const { chain } = await startScene()
      const call = { from: NOBODY, to: SINK }
      const plan = { stateOverrides: { [NOBODY]: { nonce: '0xffffffffffffffff' } }, calls: [call, call] }
      const [block] = await simulate(chain.preconf, [plan], { returnFullTransactions: true })
      expect(block!.transactions.map((tx) => (tx as { nonce: Hex }).nonce)).toEqual([
        '0xffffffffffffffff',
        '0x0',
      ])
    })
  })

  describe('values at their limits', () => {
    const MAX_UINT256 = toHex(2n ** 256n - 1n)
    const PAID: Address = `0x${'44'.repeat(20)}`
    // Returns the BALANCE of the address in the first word.
    const BALANCE_READER = { [SINK]: { code: '0x5f35315f5260205ff3' } }
    const balanceOf = (account: Address) => ({ to: SINK, data: word(account) })

    it('balances wrap around at 2^256 as in go-ethereum: withdrawals, tips', async () => {
      const scene = await startScene()
      const alice = scene.accounts[0]
      const withdrawals = [{ index: '0x1', validatorIndex: '0x1', address: NOBODY, amount: '0x2' }]
      const tip = { gas: '0x5208', maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x2' }
      for (const provider of [scene.chain.preconf, geth(scene)]) {
        const [, paid] = await simulate(provider, [
          {
            stateOverrides: { ...BALANCE_READER, [NOBODY]: { balance: MAX_UINT256 } },
            blockOverrides: { withdrawals, feeRecipient: PAID },
          },
          {
            stateOverrides: { [PAID]: { balance: MAX_UINT256 } },
            calls: [balanceOf(NOBODY), { from: alice, to: NOBODY, ...tip }, balanceOf(PAID)],
          },
        ])
        expect(paid!.calls.map(({ returnData }) => returnData)).toEqual([
          word(2n * 10n ** 9n - 1n),
          '0x',
          word(2n * 21_000n - 1n),
        ])
      }
    })

    it('balances are not topped up beyond 2^256', async () => {
      const { chain } = await startScene()
      const call = { from: NOBODY, to: PAID, gas: '0x5208' }
      const calls = [
        { ...call, value: MAX_UINT256, maxFeePerGas: '0x1' },
        { ...call, maxFeePerGas: MAX_UINT256 },
        { ...call, value: MAX_UINT256 },
      ]
      const results = await callsOf(chain.preconf, { calls })
      expect(results.map(({ status, error }) => [status, error])).toEqual([
        ['0x0', 'insufficient funds for gas * price + value'],
        ['0x0', 'insufficient funds for gas * price + value'],
        ['0x1', undefined],
      ])
    })

    it('top-ups that are not spent are removed', async () => {
      const { chain } = await startScene()
      const REVERT = { [PAID]: { code: '0x5f5ffd' } }
      const fees = { gas: '0xffff', maxFeePerGas: '0x3', maxPriorityFeePerGas: '0x3' }
      const results = await callsOf(chain.preconf, {
        stateOverrides: { ...BALANCE_READER, ...REVERT },
        calls: [{ from: NOBODY, to: PAID, value: '0x7', ...fees }, balanceOf(NOBODY)],
      })
      expect(results.map(({ status, returnData }) => [status, returnData])).toEqual([
        ['0x0', '0x'],
        ['0x1', word(0n)],
      ])
    })
  })

  it('accepts blobs without a blob fee, except with validation', async () => {
    const scene = await startScene({ hardfork: 'osaka' })
    const alice = scene.accounts[0]
    const blobs = { from: alice, to: SINK, gas: '0x5208', blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }
    const calls = [blobs, { ...blobs, maxFeePerGas: toHex(10n ** 10n) }]
    for (const provider of [scene.chain.preconf, geth(scene)]) {
      expect((await callsOf(provider, { calls })).map(({ status }) => status)).toEqual(['0x1', '0x1'])
    }
    const [refused] = await callsOf(scene.chain.preconf, { calls: [calls[1]!] }, { validation: true })
    expect(refused!.error).toMatch(/^max fee per blob gas less than block blob gas fee/)
  })

  it('loads the KZG library for an overridden system contract', async () => {
    const { preconf } = await startChain()
    const verify = {
      '0x00000961ef480eb55e80d19ad83579a64c007002': { code: '0x60c05f5f5f5f600a5af1' },
    } as const
    expect(await simulate(preconf, [{ stateOverrides: verify }])).toHaveLength(1)
  })

  describe('in the geth dialect', () => {
    const priced = { gas: '0x5208', maxFeePerGas: toHex(10n ** 10n) }

    it.each<[string, number, Plan, boolean?]>([
      ['a nonce too low', -38010, { calls: [{ from: 'alice', to: SINK, nonce: '0x0', ...priced }] }, true],
      ['a nonce too high', -38011, { calls: [{ from: 'alice', to: SINK, nonce: '0x63', ...priced }] }, true],
      ['a fee cap below the base fee', -38012, { calls: [{ from: 'alice', to: SINK }] }, true],
      [
        'a fee cap below an overridden base fee',
        -38012,
        {
          blockOverrides: { baseFeePerGas: '0xa' },
          calls: [{ from: 'alice', to: SINK, maxFeePerGas: '0x1' }],
        },
      ],
      ['less than the intrinsic gas', -38013, { calls: [{ from: 'alice', to: SINK, gas: '0x5207' }] }],
      [
        'less than the floor of its data (EIP-7623)',
        -38013,
        { calls: [{ from: 'alice', to: SINK, data: `0x${'11'.repeat(1000)}`, gas: '0x9470' }] },
      ],
      ['no funds for its value', -38014, { calls: [{ from: NOBODY, to: SINK, value: '0x1' }] }],
      ['no funds for its gas', -38014, { calls: [{ from: NOBODY, to: SINK, ...priced }] }],
      [
        'more gas than is left in its block',
        -38015,
        {
          blockOverrides: { gasLimit: '0xc350' },
          calls: [
            { from: 'alice', to: SINK },
            { from: 'alice', to: SINK, gas: '0xc350' },
          ],
        },
      ],
      ['init code beyond EIP-3860', -38025, { calls: [{ from: 'alice', data: `0x${'00'.repeat(49_153)}` }] }],
      [
        'a tip above its fee cap',
        -32602,
        { calls: [{ from: 'alice', to: SINK, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }] },
      ],
      [
        'a nonce at its maximum',
        -32603,
        {
          stateOverrides: { [NOBODY]: { nonce: '0xffffffffffffffff', balance: toHex(ETHER) } },
          calls: [{ from: NOBODY, to: SINK, ...priced }],
        },
        true,
      ],
    ])(
      'a call with %s fails the request (%i); in the preconf dialect only its result',
      async (_name, code, plan, validation = false) => {
        const scene = await startScene()
        const alice = scene.accounts[0]
        const calls = plan.calls!.map((call) => ({
          ...call,
          ...(call['from'] === 'alice' && { from: alice }),
        }))
        const refused = await simulate(geth(scene), [{ ...plan, calls }], { validation }).then(
          () => undefined,
          (error: PresealRpcError) => error,
        )
        expect(refused).toMatchObject({ code })
        const [block] = await simulate(scene.chain.preconf, [{ ...plan, calls }], { validation })
        // The preconf dialect tops up missing funds.
        const failed = { status: '0x0', error: refused!.message, gasUsed: '0x0' }
        expect(block!.calls.at(-1)).toMatchObject(code === -38014 ? { status: '0x1' } : failed)
      },
    )

    it('failures are objects, without return data', async () => {
      const scene = await startScene()
      const { probe, accounts } = scene
      const call = (name: string) => ({ from: accounts[0], to: probe, data: probeCall(name), gas: '0xffff' })
      const results = await callsOf(geth(scene), { calls: [call('fail'), call('loop')] })
      const nope = `${keccak256(toHex('Nope(uint256)')).slice(0, 10)}${word(42n).slice(2)}`
      expect(results.map(({ status, returnData, error }) => ({ status, returnData, error }))).toEqual([
        { status: '0x0', returnData: '0x', error: { code: 3, message: 'execution reverted', data: nope } },
        { status: '0x0', returnData: '0x', error: { code: -32015, message: 'out of gas' } },
      ])
    })

    it('blocks have no totalDifficulty', async () => {
      const scene = await startScene()
      const [inGeth] = await simulate(geth(scene), [{}])
      const [preconf] = await simulate(scene.chain.preconf, [{}])
      expect({ ...inGeth, totalDifficulty: '0x0' }).toEqual(preconf)
    })
  })

  test('has the block fields of each hardfork', async () => {
    const fields: Record<string, string[]> = {}
    let before: string[] = []
    for (const hardfork of ['paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const) {
      const { preconf } = await startChain({ hardfork })
      const [block] = await simulate(preconf, [{}])
      fields[hardfork] = Object.keys(block!).filter((key) => !before.includes(key))
      before = Object.keys(block!)
    }
    const { paris: _paris, ...later } = fields
    expect(later).toEqual({
      shanghai: ['withdrawalsRoot', 'withdrawals'],
      cancun: ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
      prague: ['requestsHash'],
      osaka: [],
    })
  })
})
