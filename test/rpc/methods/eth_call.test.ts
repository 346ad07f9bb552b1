import { type Abi, encodeDeployData, encodeErrorResult, encodeFunctionData, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { hardforkConfig } from '../../../src/ethereum/rules.ts'
import { Child, Probe } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'
import { ask, askAll, askBoth, blockForms, probeCall, send, startScene, tokenCall } from '../scene.ts'

describe('eth_call', () => {
  it('executes on every form of a block, by default on `latest`', async () => {
    const scene = await startScene()
    const { chain, token, accounts } = scene
    const call = { to: token, data: tokenCall('balanceOf', [accounts[1]]) }
    expect(
      await askAll(chain, 'eth_call', { absent: [call], ...blockForms(scene, (block) => [call, block]) }),
    ).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "0x2": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000002",
        },
        "0x3": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000007",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "EIP-1898 hash": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "EIP-1898 number": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "absent": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000002",
        },
        "earliest": {
          "both": "0x",
        },
        "finalized": {
          "both": "0x",
        },
        "hash of block 1": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "hash of the preconf block": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000007",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000002",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000002",
        },
        "pending": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000007",
          "standard": "0x0000000000000000000000000000000000000000000000000000000000000002",
        },
        "safe": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })

  it('has the context of the block, of a pending one as it will be (spec.md 1, 4)', async () => {
    const { chain, probe } = await startScene()
    const words = async (view: 'standard' | 'preconf', block: '0x2' | 'pending', fee = {}) => {
      const result = await chain[view].request({
        method: 'eth_call',
        params: [{ to: probe, data: probeCall('context'), ...fee }, block],
      })
      return [0, 1, 2].map((at) => BigInt(`0x${result.slice(2 + 64 * at, 66 + 64 * at)}`))
    }
    const head = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['0x2', false] })
    const pending = await chain.preconf.request({
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
    })
    const contextOf = (block: typeof head, baseFee: bigint) => [
      BigInt(block!.number!),
      BigInt(block!.timestamp),
      baseFee,
    ]
    expect(await words('standard', '0x2')).toEqual(contextOf(head, 0n))
    expect(await words('preconf', 'pending')).toEqual(contextOf(pending, 0n))
    const fee = { gasPrice: '0x77359400', from: chain.accounts[0]!.address } as const
    expect(await words('preconf', 'pending', fee)).toEqual(
      contextOf(pending, BigInt(pending!.baseFeePerGas!)),
    )
    await chain.clock.advance(3000)
    expect(await words('preconf', 'pending')).toEqual(contextOf(pending, 0n))
    expect(await words('standard', 'pending')).toEqual([3n, BigInt(chain.clock.now() / 1000), 0n])
  })

  it('runs at the end of the current slot in interval mining (spec.md 1)', async () => {
    const chain = await startChain({ mining: 'interval' })
    const to = `0x${'11'.repeat(20)}` as const
    const returnsTimestamp = '0x4260005260206000f3'
    const call = async (view: 'standard' | 'preconf') =>
      BigInt(
        await chain[view].request({
          method: 'eth_call',
          params: [{ to }, 'pending', { [to]: { code: returnsTimestamp } }],
        }),
      )
    expect([await call('standard'), await call('preconf')]).toEqual([1_700_000_002n, 1_700_000_002n])
    await chain.clock.advance(2600)
    expect([await call('standard'), await call('preconf')]).toEqual([1_700_000_004n, 1_700_000_004n])
  })

  it('reads BASEFEE as 0 if no fee is given, unless it is overridden (spec.md 24)', async () => {
    const { chain, probe, accounts } = await startScene()
    const baseFee = async (call: object, overrides?: object) => {
      const params = [{ to: probe, data: probeCall('context'), ...call }, 'latest', {}, overrides ?? {}]
      const result = (await chain.standard.request({ method: 'eth_call', params: params as never })) as string
      return BigInt(`0x${result.slice(130, 194)}`)
    }
    const latest = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
    expect(await baseFee({})).toBe(0n)
    expect(await baseFee({ gasPrice: '0x0' })).toBe(0n)
    expect(await baseFee({ gasPrice: '0x77359400', from: accounts[0] })).toBe(BigInt(latest!.baseFeePerGas!))
    expect(await baseFee({ maxFeePerGas: '0x77359400', from: accounts[0] })).toBe(
      BigInt(latest!.baseFeePerGas!),
    )
    expect(await baseFee({}, { baseFeePerGas: '0x7' })).toBe(7n)
  })

  it('reports how a call failed (spec.md 10, §7)', async () => {
    const { chain, probe, accounts } = await startScene()
    const calls = Object.fromEntries(
      ['fail', 'failString', 'failEmpty', 'panic', 'invalid', 'loop'].map((name) => [
        name,
        [{ to: probe, data: probeCall(name), gas: '0x30d40' }, 'latest'],
      ]),
    )
    expect(
      await askAll(chain, 'eth_call', {
        ...calls,
        'no such function': [{ to: probe, data: '0xdeadbeef' }, 'latest'],
        'value to what takes none': [
          { to: probe, data: probeCall('fail'), value: '0x1', from: accounts[0] },
          'latest',
        ],
        'too little gas': [{ to: probe, data: probeCall('fail'), gas: '0x5208' }, 'latest'],
        'more value than funds': [{ from: `0x${'88'.repeat(20)}`, to: accounts[1], value: '0x1' }, 'latest'],
        'more gas than funds': [{ to: accounts[1], gasPrice: '0x77359400' }, 'latest'],
        'fee cap below the base fee': [{ to: accounts[1], from: accounts[0], maxFeePerGas: '0x1' }, 'latest'],
        'tip above the fee cap': [
          {
            to: accounts[1],
            from: accounts[0],
            maxFeePerGas: '0x77359400',
            maxPriorityFeePerGas: '0x77359401',
          },
          'latest',
        ],
        'bad jump': [{ to: accounts[1] }, 'latest', { [accounts[1]!]: { code: '0x600056' } }],
        'both kinds of fee': [{ to: accounts[1], gasPrice: '0x1', maxFeePerGas: '0x1' }, 'latest'],
      }),
    ).toMatchInlineSnapshot(`
      {
        "bad jump": {
          "both": "error -32000 invalid jump destination",
        },
        "both kinds of fee": {
          "both": "error -32602 invalid argument 0.maxFeePerGas: expected no value if gasPrice is given",
        },
        "fail": {
          "both": "error -32000 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
        },
        "failEmpty": {
          "both": "error -32000 execution reverted "0x"",
        },
        "failString": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0x1db44c56184092c2"",
        },
        "fee cap below the base fee": {
          "both": "error -32000 max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 771694700",
        },
        "invalid": {
          "both": "error -32000 invalid opcode",
        },
        "loop": {
          "both": "error -32000 out of gas",
        },
        "more gas than funds": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "more value than funds": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "no such function": {
          "both": "error -32000 execution reverted "0x"",
        },
        "panic": {
          "both": "error -32000 execution reverted "0x4e487b710000000000000000000000000000000000000000000000000000000000000001"",
        },
        "tip above the fee cap": {
          "both": "error -32000 max priority fee per gas higher than max fee per gas",
        },
        "too little gas": {
          "both": "error -32000 intrinsic gas too low: have 21000, want 21064",
        },
        "value to what takes none": {
          "both": "error -32000 execution reverted "0x"",
        },
      }
    `)
  })

  it('rejects a revert with `details` in addition to code and data (spec.md 10)', async () => {
    const { chain, probe } = await startScene()
    const revert = await chain.preconf
      .request({ method: 'eth_call', params: [{ to: probe, data: probeCall('fail') }, 'latest'] })
      .catch((error: unknown) => error)
    expect(revert).toMatchObject({
      code: -32000,
      message: 'execution reverted',
      details: 'execution reverted',
      data: encodeErrorResult({ abi: Probe.abi as Abi, errorName: 'Nope', args: [42n] }),
    })
  })

  it('ends an endless loop at limits.gasCap', async () => {
    const { chain, probe } = await startScene({ limits: { gasCap: 100_000n } })
    expect(
      await askAll(chain, 'eth_call', {
        'no gas named': [{ to: probe, data: probeCall('loop') }, 'latest'],
        'more gas than allowed': [
          { to: probe, data: probeCall('gasAware', [100_000n]), gas: '0x5f5e100' },
          'latest',
        ],
        'gas within the limit': [
          { to: probe, data: probeCall('gasAware', [70_000n]), gas: '0x5f5e100' },
          'latest',
        ],
      }),
    ).toMatchInlineSnapshot(`
      {
        "gas within the limit": {
          "both": "0x",
        },
        "more gas than allowed": {
          "both": "error -32000 execution reverted "0x9fa72982000000000000000000000000000000000000000000000000000000000001328300000000000000000000000000000000000000000000000000000000000186a0"",
        },
        "no gas named": {
          "both": "error -32000 out of gas",
        },
      }
    `)
  })

  it('creates a contract if there is no `to`, and returns its code (spec.md 24)', async () => {
    const { chain } = await startScene()
    const creation = {
      data: encodeDeployData({ abi: Child.abi as Abi, bytecode: Child.bytecode, args: [4n] }),
    }
    const code = await ask(chain.standard, 'eth_call', [creation, 'latest'])
    expect(code).toMatchInlineSnapshot(`"239 bytes, keccak256 0x1ad29f86c7a42f0e"`)
    expect(await ask(chain.standard, 'eth_call', [{ ...creation, to: null }, 'latest'])).toBe(code)
    expect(await ask(chain.standard, 'eth_call', [{ input: creation.data }, 'latest'])).toBe(code)
    expect(await ask(chain.standard, 'eth_call', [{}, 'latest'])).toBe('0x')
  })

  it('overrides state: balance, nonce, code, storage as a whole or by slot', async () => {
    const { chain, probe, accounts } = await startScene()
    const [alice] = accounts as [`0x${string}`]
    const to = `0x${'77'.repeat(20)}`
    const one = `0x${'1'.padStart(64, '0')}`
    const nine = `0x${'9'.padStart(64, '0')}`
    const read = (slot: number) => ({ to: probe, data: probeCall('get', [BigInt(slot)]) })
    const selfBalance = '0x4760005260206000f3'
    const create = '0x600060006000f060005260206000f3'
    expect(
      await askAll(chain, 'eth_call', {
        code: [{ to }, 'latest', { [to]: { code: selfBalance } }],
        'balance and code': [{ to }, 'latest', { [to]: { balance: '0x64', code: selfBalance } }],
        'funds for the value': [
          { to, from: `0x${'88'.repeat(20)}`, value: '0x5' },
          'latest',
          { [`0x${'88'.repeat(20)}`]: { balance: '0x5' }, [to]: { code: selfBalance } },
        ],
        'nonce, by the address it creates at': [{ to }, 'latest', { [to]: { nonce: '0x5', code: create } }],
        'stateDiff keeps other slots': [read(7), 'pending', { [probe]: { stateDiff: { [one]: one } } }],
        'stateDiff sets a slot': [read(1), 'pending', { [probe]: { stateDiff: { '0x1': nine } } }],
        'state clears other slots': [read(7), 'pending', { [probe]: { state: { [one]: one } } }],
        'state sets a slot': [read(1), 'pending', { [probe]: { state: { [one]: nine } } }],
        'state and stateDiff': [read(1), 'latest', { [probe]: { state: {}, stateDiff: {} } }],
        'unknown field': [read(7), 'pending', { [probe]: { movePrecompileToAddress: null } }],
      }),
    ).toMatchInlineSnapshot(`
      {
        "balance and code": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000064",
        },
        "code": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "funds for the value": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000005",
        },
        "nonce, by the address it creates at": {
          "both": "0x0000000000000000000000000482d62c2d8750cdc5297183524974666faccc6d",
        },
        "state and stateDiff": {
          "both": "error -32602 invalid argument 2.0xe7f1725e7734ce288f8367e1bb143e90bb3f0512.stateDiff: expected no value if state is given",
        },
        "state clears other slots": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "state sets a slot": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000009",
        },
        "stateDiff keeps other slots": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "stateDiff sets a slot": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000009",
        },
        "unknown field": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
      }
    `)
    expect(await ask(chain.preconf, 'eth_getStorageAt', [probe, '0x1', 'pending'])).toBe(
      `0x${'0'.repeat(64)}`,
    )
    expect(await ask(chain.preconf, 'eth_getBalance', [to, 'pending'])).toBe('0x0')
    expect(await ask(chain.preconf, 'eth_getTransactionCount', [alice, 'pending'])).toBe('0x5')
  })

  it('overrides the block', async () => {
    const { chain, probe } = await startScene()
    const overrides = {
      number: '0x64',
      time: '0x65',
      gasLimit: '0x66',
      feeRecipient: `0x${'67'.repeat(20)}`,
      prevRandao: `0x${'68'.repeat(32)}`,
      baseFeePerGas: '0x69',
    }
    const { number, ...older } = overrides
    const params = (header: object) =>
      [{ to: probe, data: probeCall('context') }, 'latest', null, header] as never
    const read = async (header: object) => {
      const result = await chain.standard.request({ method: 'eth_call', params: params(header) })
      return (result as string)
        .slice(2)
        .match(/.{64}/g)!
        .map((word) => `0x${word.replace(/^0+/, '')}`)
    }
    expect(await read(overrides)).toMatchInlineSnapshot(`
      [
        "0x64",
        "0x65",
        "0x69",
        "0x6868686868686868686868686868686868686868686868686868686868686868",
        "0x6767676767676767676767676767676767676767",
        "0x66",
        "0x7a69",
      ]
    `)
    expect(
      await read({
        number,
        timestamp: older.time,
        gasLimit: older.gasLimit,
        coinbase: older.feeRecipient,
        random: older.prevRandao,
        baseFee: older.baseFeePerGas,
      }),
    ).toEqual(await read(overrides))
  })

  it('has the hashes of the chain in BLOCKHASH', async () => {
    const { chain, probe, first, second } = await startScene()
    const hashOf = (number: bigint, block: string) =>
      ask(chain.preconf, 'eth_call', [{ to: probe, data: probeCall('hashOf', [number]) }, block])
    const none = `0x${'0'.repeat(64)}`
    expect(await hashOf(1n, 'latest')).toBe(first.block.hash)
    expect(await hashOf(2n, 'latest')).toBe(none)
    expect(await hashOf(2n, 'pending')).toBe(second.block.hash)
    expect(await hashOf(3n, 'pending')).toBe(none)
  })

  it('changes nothing, and is isolated from concurrent calls on other blocks', async () => {
    const { chain, probe, accounts } = await startScene()
    const call = { to: probe, data: probeCall('context') }
    const one = async (block: string) => ask(chain.preconf, 'eth_call', [call, block])
    const blocks = ['0x1', '0x2', 'pending', 'latest', '0x1', 'pending']
    const inSequence = []
    for (const block of blocks) inSequence.push(await one(block))
    expect(await Promise.all(blocks.map(one))).toEqual(inSequence)
    const before = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', true] })
    await ask(chain.preconf, 'eth_call', [
      { from: accounts[0], to: probe, data: probeCall('set', [3n, 3n]), value: '0x0' },
      'pending',
    ])
    expect(
      await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', true] }),
    ).toEqual(before)
    expect(await ask(chain.preconf, 'eth_getStorageAt', [probe, '0x3', 'pending'])).toBe(
      `0x${'0'.repeat(64)}`,
    )
  })

  it("sends its value, and checks it against the sender's balance in the block", async () => {
    const { chain, probe, accounts } = await startScene()
    const to = `0x${'99'.repeat(20)}` as const
    await send(chain, 5, { nonce: 0, to, value: parseEther('1') })
    await chain.tick()
    const call = {
      from: to,
      to: probe,
      data: encodeFunctionData({
        abi: [{ type: 'function', name: 'value', inputs: [], outputs: [], stateMutability: 'payable' }],
      }),
      value: '0x5',
    }
    expect(
      await askAll(chain, 'eth_call', { pending: [call, 'pending'], latest: [call, 'latest'] }),
    ).toMatchInlineSnapshot(`
      {
        "latest": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "pending": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000005",
          "standard": "error -32000 insufficient funds for gas * price + value",
        },
      }
    `)
    expect(accounts).toHaveLength(10)
  })

  it('refuses unsupported fields instead of ignoring them', async () => {
    const { chain, probe } = await startScene()
    const to = probe
    const hash = `0x${'01'.repeat(32)}`
    const withdrawals = [{ index: '0x0', validatorIndex: '0x0', address: probe, amount: '0x1' }]
    expect(
      await askAll(chain, 'eth_call', {
        "this chain's id": [{ to, data: probeCall('value'), chainId: '0x7a69' }, 'latest'],
        "another chain's id": [{ to, data: probeCall('value'), chainId: '0x1' }, 'latest'],
        'a moved precompile': [
          { to },
          'latest',
          { [`0x${'0'.repeat(39)}2`]: { movePrecompileToAddress: probe } },
        ],
        'a beacon root': [{ to }, 'latest', {}, { beaconRoot: hash }],
        withdrawals: [{ to }, 'latest', {}, { withdrawals }],
        'no withdrawals, but a list of them': [{ to }, 'latest', {}, { withdrawals: [] }],
      }),
    ).toMatchInlineSnapshot(`
      {
        "a beacon root": {
          "both": "error -32602 invalid argument 3.beaconRoot: expected no value: only eth_simulateV1 supports this override",
        },
        "a moved precompile": {
          "both": "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        },
        "another chain's id": {
          "both": "error -32602 invalid argument 0.chainId: expected this chain's id (31337)",
        },
        "no withdrawals, but a list of them": {
          "both": "error -32602 invalid argument 3.withdrawals: expected no value: only eth_simulateV1 supports this override",
        },
        "this chain's id": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "withdrawals": {
          "both": "error -32602 invalid argument 3.withdrawals: expected no value: only eth_simulateV1 supports this override",
        },
      }
    `)
  })

  it('has the blob hashes of a call in BLOBHASH, and charges for blobs if it has a blob fee', async () => {
    const chain = await startChain({ hardfork: 'prague' })
    const [first, second] = [`0x01${'aa'.repeat(31)}`, `0x01${'bb'.repeat(31)}`]
    const poor = `0x${'99'.repeat(20)}`
    const to = `0x${'77'.repeat(20)}`
    // Returns BLOBHASH(1) and BLOBBASEFEE.
    const code = '0x6001495f524a60205260405ff3'
    const ask = (call: object, header: object = {}) =>
      [{ to, ...call }, 'latest', { [to]: { code }, [poor]: { balance: '0x20000' } }, header] as const
    const both = { blobVersionedHashes: [first, second] }
    expect(
      await askAll(chain, 'eth_call', {
        'no blobs': ask({}),
        'blobs for nothing': ask(both),
        'blobs for a fee, by one who cannot pay': ask({ ...both, from: poor, maxFeePerBlobGas: '0x1' }),
        'one blob, by one who can just pay': ask({
          from: poor,
          blobVersionedHashes: [first],
          maxFeePerBlobGas: '0x1',
        }),
        'a fee below the blob base fee': ask({ ...both, maxFeePerBlobGas: '0x1' }, { blobBaseFee: '0x2' }),
        'a fee, but no blobs': ask({ maxFeePerBlobGas: '0x1' }),
        'a list of none': ask({ blobVersionedHashes: [] }),
        'a hash of another version': ask({ blobVersionedHashes: [first, `0x02${'bb'.repeat(31)}`] }),
        'more than a block has': ask({ blobVersionedHashes: Array(10).fill(first) }),
        'a creation': [{ ...both, data: '0x00' }, 'latest'],
      }),
    ).toMatchInlineSnapshot(`
      {
        "a creation": {
          "both": "error -32000 blob transaction of type create",
        },
        "a fee below the blob base fee": {
          "both": "error -32000 max fee per blob gas less than block blob gas fee: blobGasFeeCap: 1, blobBaseFee: 2",
        },
        "a fee, but no blobs": {
          "both": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        },
        "a hash of another version": {
          "both": "error -32000 blob 1 has invalid hash version",
        },
        "a list of none": {
          "both": "error -32000 blob transaction missing blob hashes",
        },
        "blobs for a fee, by one who cannot pay": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "blobs for nothing": {
          "both": "0x01bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb0000000000000000000000000000000000000000000000000000000000000000",
        },
        "more than a block has": {
          "both": "error -32000 too many blobs in transaction: have 10, permitted 9",
        },
        "no blobs": {
          "both": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        },
        "one blob, by one who can just pay": {
          "both": "0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        },
      }
    `)
    const old = await startChain({ hardfork: 'shanghai' })
    expect(await askBoth(old, 'eth_call', [{ to, ...both }, 'latest'])).toEqual({
      both: 'error -32000 transaction type not supported',
    })
  })

  it('follows the rules at an overridden time', async () => {
    const config = { ...hardforkConfig(31337, 'shanghai'), cancunTime: 1_800_000_000 }
    const genesis = { config, alloc: {}, gasLimit: '0x1c9c380' }
    const { preconf } = await startChain({ genesis })
    // Returns the word that TLOAD reads, an opcode since Cancun (EIP-1153).
    const code = { [`0x${'55'.repeat(20)}`]: { code: '0x5f5c5f5260205ff3' as const } }
    const call = (time?: string) =>
      ask(preconf, 'eth_call', [
        { to: `0x${'55'.repeat(20)}` },
        'latest',
        code,
        time === undefined ? {} : { time },
      ])
    expect(await call()).toBe('error -32000 invalid opcode')
    expect(await call('0x6b49d1ff')).toBe('error -32000 invalid opcode')
    expect(await call('0x6b49d200')).toBe(`0x${'00'.repeat(32)}`)
  })
})
