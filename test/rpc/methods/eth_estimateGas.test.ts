import { type Abi, encodeDeployData, encodeFunctionData, type Hex, numberToHex, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { Child, Factory, Probe } from '../../contracts/artifacts.ts'
import { askAll, blockForms, probeCall, type Scene, send, startScene, tokenCall } from '../scene.ts'

describe('eth_estimateGas', () => {
  it('estimates on every form of a block', async () => {
    const scene = await startScene()
    const { chain, accounts, token } = scene
    const call = { from: accounts[1], to: token, data: tokenCall('transfer', [accounts[5], 6n]) }
    expect(
      await askAll(chain, 'eth_estimateGas', {
        absent: [call],
        ...blockForms(scene, (block) => [call, block]),
      }),
    ).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0xba3ebd4eb949ffac"",
        },
        "0x2": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0x49ee1c524fbe1320"",
        },
        "0x3": {
          "preconf": "0xc930",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0xba3ebd4eb949ffac"",
        },
        "EIP-1898 hash": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0xba3ebd4eb949ffac"",
        },
        "EIP-1898 number": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0xba3ebd4eb949ffac"",
        },
        "absent": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0x49ee1c524fbe1320"",
        },
        "earliest": {
          "both": "0x579e",
        },
        "finalized": {
          "both": "0x579e",
        },
        "hash of block 1": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0xba3ebd4eb949ffac"",
        },
        "hash of the preconf block": {
          "preconf": "0xc930",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "error -32000 execution reverted "100 bytes, keccak256 0x49ee1c524fbe1320"",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0x49ee1c524fbe1320"",
        },
        "pending": {
          "preconf": "0xc930",
          "standard": "error -32000 execution reverted "100 bytes, keccak256 0x49ee1c524fbe1320"",
        },
        "safe": {
          "both": "error -32000 execution reverted "100 bytes, keccak256 0xba3ebd4eb949ffac"",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })

  it('estimates by default for the next block on standard, for `latest` on preconf', async () => {
    const { chain, accounts } = await startScene()
    const [from, to] = accounts
    const next = Math.floor(chain.clock.now() / 1000) + 1000
    const onlyThen = `0x4263${next.toString(16)}14600b57fe5b00` // invalid unless TIMESTAMP is the next block's
    await chain.standard.request({ method: 'anvil_setCode', params: [to!, onlyThen] })
    await chain.standard.request({ method: 'evm_setNextBlockTimestamp', params: [next] })
    const absent = [{ from, to }]
    expect(
      await askAll(chain, 'eth_estimateGas', { absent, latest: [...absent, 'latest'] }),
    ).toMatchInlineSnapshot(`
      {
        "absent": {
          "preconf": "error -32000 invalid opcode",
          "standard": "0x521e",
        },
        "latest": {
          "both": "error -32000 invalid opcode",
        },
      }
    `)
  })

  it('reports why no limit is enough', async () => {
    const { chain, accounts, probe } = await startScene({ limits: { gasCap: 200_000n } })
    const [alice, bob] = accounts
    const nobody = `0x${'88'.repeat(20)}`
    const to = (name: string, args: unknown[] = []) => ({
      from: alice,
      to: probe,
      data: probeCall(name, args),
    })
    expect(
      await askAll(chain, 'eth_estimateGas', {
        revert: [to('fail'), 'latest'],
        'empty revert': [to('failEmpty'), 'latest'],
        'invalid opcode': [to('invalid'), 'latest'],
        'endless loop': [to('loop'), 'latest'],
        'more gas than it may have': [{ ...to('loop'), gas: '0x7530' }, 'latest'],
        'gasleft above the limit': [to('gasAware', [1_000_000n]), 'latest'],
        'gas below the intrinsic': [{ from: alice, to: bob, gas: '0x5207' }, 'latest'],
        'value without funds': [{ from: nobody, to: bob, value: '0x1' }, 'latest'],
        'value and fee without funds': [
          { from: nobody, to: bob, value: '0x1', gasPrice: '0x77359400' },
          'latest',
        ],
        'fee without funds': [{ from: nobody, to: bob, gasPrice: '0x77359400' }, 'latest'],
        'fee below the base fee': [{ from: alice, to: bob, gasPrice: '0x1' }, 'latest'],
        'funds for half the gas only': [
          { ...to('loop'), from: `0x${'77'.repeat(20)}`, gasPrice: numberToHex(parseGwei('2')) },
          'latest',
          { [`0x${'77'.repeat(20)}`]: { balance: numberToHex(parseGwei('2') * 50_000n) } },
        ],
      }),
    ).toMatchInlineSnapshot(`
      {
        "empty revert": {
          "both": "error -32000 execution reverted "0x"",
        },
        "endless loop": {
          "both": "error -32000 gas required exceeds allowance (200000)",
        },
        "fee below the base fee": {
          "both": "error -32000 max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 771694700",
        },
        "fee without funds": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "funds for half the gas only": {
          "both": "error -32000 gas required exceeds allowance (50000)",
        },
        "gas below the intrinsic": {
          "both": "error -32000 gas required exceeds allowance (20999)",
        },
        "gasleft above the limit": {
          "both": "error -32000 execution reverted "0x9fa72982000000000000000000000000000000000000000000000000000000000002b92300000000000000000000000000000000000000000000000000000000000f4240"",
        },
        "invalid opcode": {
          "both": "error -32000 invalid opcode",
        },
        "more gas than it may have": {
          "both": "error -32000 gas required exceeds allowance (30000)",
        },
        "revert": {
          "both": "error -32000 execution reverted "0x63a2a81f000000000000000000000000000000000000000000000000000000000000002a"",
        },
        "value and fee without funds": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "value without funds": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
      }
    `)
  })

  it('accepts overrides of state and block, and creations', async () => {
    const { chain, accounts, probe } = await startScene()
    const to = `0x${'77'.repeat(20)}`
    const onlyAt100 = '0x43606414600857fe5b00' // invalid unless NUMBER is 100
    expect(
      await askAll(chain, 'eth_estimateGas', {
        transfer: [{ from: accounts[0], to: accounts[1], value: '0x1' }],
        nothing: [{}],
        creation: [
          { data: encodeDeployData({ abi: Child.abi as Abi, bytecode: Child.bytecode, args: [4n] }) },
        ],
        'other state': [{ from: to, to: accounts[1], value: '0x5' }, 'latest', { [to]: { balance: '0x5' } }],
        'a slot that is set already': [
          { to: probe, data: probeCall('set', [1n, 2n]) },
          'latest',
          { [probe]: { stateDiff: { '0x1': '0x1' } } },
        ],
        'block as it is': [{ to }, 'latest', { [to]: { code: onlyAt100 } }],
        'another block': [{ to }, 'latest', { [to]: { code: onlyAt100 } }, { number: '0x64' }],
        'data floor': [{ to: accounts[1], data: `0x${'ff'.repeat(1000)}` }],
      }),
    ).toMatchInlineSnapshot(`
      {
        "a slot that is set already": {
          "both": "0x67eb",
        },
        "another block": {
          "both": "0x521e",
        },
        "block as it is": {
          "both": "error -32000 invalid opcode",
        },
        "creation": {
          "both": "0x1f44e",
        },
        "data floor": {
          "both": "0xee48",
        },
        "nothing": {
          "both": "0xcf08",
        },
        "other state": {
          "both": "0x5208",
        },
        "transfer": {
          "both": "0x5208",
        },
      }
    `)
  })

  /** Checks that a call succeeds with its estimate, and fails with 99 % of it, or 1 gas less if it is exact. */
  async function checkEstimate(
    { chain, accounts }: Scene,
    call: { to?: Hex; data: Hex },
    exact: boolean,
  ): Promise<bigint> {
    const { preconf } = chain
    const from = accounts[0]!
    const estimate = BigInt(
      await preconf.request({ method: 'eth_estimateGas', params: [{ from, ...call }, 'pending'] }),
    )
    const less = exact ? estimate - 1n : (estimate * 99n) / 100n
    const tooLittle = await preconf
      .request({ method: 'eth_call', params: [{ from, ...call, gas: numberToHex(less) }, 'pending'] })
      .then(
        () => 'succeeds',
        () => 'fails',
      )
    expect(tooLittle).toBe('fails')
    const nonce = Number(
      await preconf.request({ method: 'eth_getTransactionCount', params: [from, 'pending'] }),
    )
    const hash = await send(chain, 0, { nonce, ...call, gas: estimate })
    await chain.tick()
    expect((await preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] }))!.status).toBe(
      '0x1',
    )
    return estimate
  }

  describe('is enough, and hardly more than needed, for', () => {
    it.each([
      ['plain code', 'burnGas', [100n], true],
      ['a new slot', 'set', [1n, 1n], true],
      ['logs', 'emitLogs', [5n], true],
      ['code that checks gasleft()', 'gasAware', [400_000n], false],
      ['a lot of gasleft()', 'gasAware', [10_000_000n], false],
    ] as const)('%s', async (_name, functionName, args, exact) => {
      const scene = await startScene()
      await checkEstimate(scene, { to: scene.probe, data: probeCall(functionName, args) }, exact)
    })

    it('code that refunds', async () => {
      const scene = await startScene()
      const { probe } = scene
      await checkEstimate(scene, { to: probe, data: probeCall('fill', [10n]) }, true)
      // The limit must cover the gas before the refund.
      await checkEstimate(scene, { to: probe, data: probeCall('refund', [10n]) }, true)
    })

    it('code that calls with 63/64 of the gas', async () => {
      const scene = await startScene()
      const { probe } = scene
      const nested = (depth: number, inner: Hex): Hex =>
        depth === 0 ? inner : probeCall('call63', [probe, nested(depth - 1, inner)])
      await checkEstimate(scene, { to: probe, data: nested(1, probeCall('burnGas', [2000n])) }, false)
      await checkEstimate(scene, { to: probe, data: nested(8, probeCall('set', [1n, 1n])) }, false)
      await checkEstimate(scene, { to: probe, data: nested(3, probeCall('gasAware', [1_000_000n])) }, false)
    })

    it('creations, also by contracts', async () => {
      const scene = await startScene()
      await checkEstimate(
        scene,
        { data: encodeDeployData({ abi: Probe.abi as Abi, bytecode: Probe.bytecode }) },
        true,
      )
      const estimate = await checkEstimate(
        scene,
        { data: encodeDeployData({ abi: Factory.abi as Abi, bytecode: Factory.bytecode }) },
        true,
      )
      expect(estimate).toBeGreaterThan(100_000n)
      const receipts = await scene.chain.preconf.request({
        method: 'eth_getBlockReceipts',
        params: ['pending'],
      })
      const factory = receipts!.at(-1)!.contractAddress!
      const data = encodeFunctionData({ abi: Factory.abi as Abi, functionName: 'create', args: [3n] })
      await checkEstimate(scene, { to: factory, data }, false)
    })

    it('calldata at the floor', async () => {
      const scene = await startScene()
      await checkEstimate(scene, { to: scene.accounts[5]!, data: `0x${'ff'.repeat(2000)}` }, true)
    })
  })
})
