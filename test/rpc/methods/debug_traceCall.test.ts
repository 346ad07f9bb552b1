import { describe, expect, it } from 'vitest'
import { askAll, askBoth, blockForms, probeCall, startScene, tokenCall } from '../scene.ts'

describe('debug_traceCall', () => {
  it('traces a call on any block, also a failing one', async () => {
    const scene = await startScene()
    const { chain, token, accounts, probe } = scene
    const call = {
      from: accounts[1],
      to: token,
      data: tokenCall('transfer', [accounts[0], 4n]),
      gas: '0x186a0',
    }
    const frame = { type: 'CALL', from: call.from, to: token, gas: call.gas, input: call.data, value: '0x0' }
    const transferred = { ...frame, gasUsed: '0x8664', output: `0x${'1'.padStart(64, '0')}` }
    const reverted = {
      ...frame,
      gasUsed: '0x5f0e',
      error: 'execution reverted',
      output: '100 bytes, keccak256 0x53c0f71d4cf617a6',
    }
    const forms = blockForms(scene, (block) => [call, block, { tracer: 'callTracer' }])
    expect(await askAll(chain, 'debug_traceCall', forms)).toStrictEqual({
      earliest: { both: { ...frame, gasUsed: '0x579e' } },
      finalized: 'as earliest',
      safe: { both: { ...reverted, output: '100 bytes, keccak256 0x33e2ed82ac5d616e' } },
      latest: { both: reverted },
      pending: { standard: reverted, preconf: transferred },
      '0x1': 'as safe',
      '0x2': 'as latest',
      '0x3': { standard: 'error -32000 header not found', preconf: transferred },
      '0x4': { both: 'error -32000 header not found' },
      'hash of block 1': 'as safe',
      'EIP-1898 hash': 'as safe',
      'EIP-1898 canonical hash': 'as safe',
      'EIP-1898 number': 'as safe',
      'hash of the preconf block': 'as 0x3',
      'hash of the preconf block before': { standard: 'error -32000 header not found', preconf: reverted },
      'unknown hash': { both: 'error -32000 header not found' },
    })
    const get = { to: probe, data: probeCall('get', [7n]), gas: '0x186a0' }
    expect(await askBoth(chain, 'debug_traceCall', [get, 'pending', { tracer: '4byteTracer' }])).toEqual({
      both: { '0x9507d39a-32': 1 },
    })
  })

  it('starts from the state before the transaction at txIndex', async () => {
    const { chain, token, accounts } = await startScene()
    const call = { to: token, data: tokenCall('balanceOf', [accounts[1]]), gas: '0x186a0' }
    const output = async (block: unknown, txIndex?: unknown) => {
      const options = { tracer: 'callTracer', ...(txIndex !== undefined && { txIndex }) }
      const params = [call, block, options]
      const { preconf, both = preconf } = (await askBoth(chain, 'debug_traceCall', params)) as Record<
        string,
        unknown
      >
      const { output } = both as { output?: string }
      return output === undefined ? both : BigInt(output)
    }
    expect({
      'before the second transfer': await output('pending', 0),
      'after it': await output('pending', '0x1'),
      'before the transfer of block 2': await output('0x2', 0),
      'after block 2': await output('0x2'),
      'beyond its transactions': await output('0x2', 1),
      'in a block without any': await output('0x0', 0),
    }).toMatchInlineSnapshot(`
      {
        "after block 2": 2n,
        "after it": 7n,
        "before the second transfer": 2n,
        "before the transfer of block 2": 0n,
        "beyond its transactions": "error -32602 invalid argument 2.txIndex: expected a transaction index below 1",
        "in a block without any": "error -32602 invalid argument 2.txIndex: expected a transaction index below 0",
      }
    `)
  })

  it('applies overrides of state and block', async () => {
    const { chain, probe } = await startScene()
    const call = { to: probe, data: probeCall('get', [7n]), gas: '0x186a0' }
    const options = {
      tracer: 'prestateTracer',
      tracerConfig: { disableCode: true },
      stateOverrides: { [probe]: { stateDiff: { '0x7': '0x63' } } },
      blockOverrides: { feeRecipient: `0x${'ee'.repeat(20)}`, number: '0x63' },
    }
    expect({
      overridden: await askBoth(chain, 'debug_traceCall', [call, 'latest', options]),
      refused: await askBoth(chain, 'debug_traceCall', [
        call,
        'latest',
        { blockOverrides: { beaconRoot: `0x${'00'.repeat(32)}` } },
      ]),
      rejected: await askBoth(chain, 'debug_traceCall', [{ ...call, gas: '0x1' }, 'latest']),
    }).toMatchInlineSnapshot(`
      {
        "overridden": {
          "both": {
            "0x0000000000000000000000000000000000000000": {
              "balance": "0x339684957ba00",
            },
            "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": {
              "balance": "0x0",
              "nonce": 1,
              "storage": {
                "0x0000000000000000000000000000000000000000000000000000000000000007": "0x0000000000000000000000000000000000000000000000000000000000000063",
              },
            },
            "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee": {
              "balance": "0x0",
            },
          },
        },
        "refused": {
          "both": "error -32602 invalid argument 2.blockOverrides.beaconRoot: expected no value: only eth_simulateV1 supports this override",
        },
        "rejected": {
          "both": "error -32000 intrinsic gas too low: have 1, want 21204",
        },
      }
    `)
  })
})
