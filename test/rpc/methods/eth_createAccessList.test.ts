import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { Provider, RpcAccessList } from '../../../src/index.ts'
import { word } from '../../words.ts'
import { ask, askAll, askBoth, blockForms, probeCall, startScene, tokenCall } from '../scene.ts'

/** Loads slot 7, and slot 8 too if slot 7 holds 9. */
const BRANCHING: Hex = '0x600754600914600a57005b60085400'

describe('eth_createAccessList', () => {
  it('returns what the call accesses, and the gas that a transaction with that list uses', async () => {
    const { chain, accounts, probe } = await startScene()
    const call = { from: accounts[5]!, to: probe, data: probeCall('set', [3n, 4n]) }
    const created = await chain.preconf.request({
      method: 'eth_createAccessList',
      params: [{ ...call }, 'pending'],
    })
    expect(created).toEqual({
      accessList: [{ address: probe, storageKeys: [word(3)] }],
      gasUsed: expect.any(String),
    })

    const signed = await privateKeyToAccount(chain.accounts[5]!.privateKey).signTransaction({
      type: 'eip2930',
      chainId: 31337,
      nonce: 0,
      gas: 100_000n,
      gasPrice: 10n ** 10n,
      to: call.to,
      data: call.data,
      accessList: created.accessList,
    })
    await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [signed] })
    const { receipts } = await chain.tick()
    expect(receipts.filter((one) => one.from === accounts[5])).toMatchObject([
      { status: '0x1', gasUsed: created.gasUsed },
    ])
  })

  it('executes on every form of a block, by default on `latest`', async () => {
    const scene = await startScene()
    const { chain, probe } = scene
    const overrides = { [probe]: { code: BRANCHING } }
    const touched = async (provider: Provider, params: readonly unknown[]) => {
      const answer = await ask(provider, 'eth_createAccessList', [
        { to: probe },
        params[0] ?? null,
        overrides,
      ])
      if (typeof answer === 'string') return answer
      return (answer as RpcAccessList).accessList.flatMap(({ storageKeys }) => storageKeys.map(Number)).join()
    }
    const answers: Record<string, unknown> = {}
    for (const [name, params] of Object.entries({ absent: [], ...blockForms(scene, (block) => [block]) })) {
      answers[name] = await Promise.all([
        touched(chain.standard, params as unknown[]),
        touched(chain.preconf, params as unknown[]),
      ])
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "0x1": [
          "7",
          "7",
        ],
        "0x2": [
          "7",
          "7",
        ],
        "0x3": [
          "error -32000 header not found",
          "7,8",
        ],
        "0x4": [
          "error -32000 header not found",
          "error -32000 header not found",
        ],
        "EIP-1898 canonical hash": [
          "7",
          "7",
        ],
        "EIP-1898 hash": [
          "7",
          "7",
        ],
        "EIP-1898 number": [
          "7",
          "7",
        ],
        "absent": [
          "7",
          "7",
        ],
        "earliest": [
          "7",
          "7",
        ],
        "finalized": [
          "7",
          "7",
        ],
        "hash of block 1": [
          "7",
          "7",
        ],
        "hash of the preconf block": [
          "error -32000 header not found",
          "7,8",
        ],
        "hash of the preconf block before": [
          "error -32000 header not found",
          "7",
        ],
        "latest": [
          "7",
          "7",
        ],
        "pending": [
          "7",
          "7,8",
        ],
        "safe": [
          "7",
          "7",
        ],
        "unknown hash": [
          "error -32000 header not found",
          "error -32000 header not found",
        ],
      }
    `)
  })

  it('returns the error of a failing call in the result, in both dialects', async () => {
    const { chain, accounts, token } = await startScene()
    const call = { from: accounts[5], to: token, data: tokenCall('transfer', [accounts[1], 1n]) }
    const { both } = (await askBoth(chain, 'eth_createAccessList', [call])) as { both: RpcAccessList }
    expect(both.error).toBe('execution reverted')
    expect(both.accessList.map(({ address, storageKeys }) => [address, storageKeys.length])).toEqual([
      [token, 1],
    ])
    const geth = chain.provider('standard', { dialect: 'geth' })
    expect(await ask(geth, 'eth_createAccessList', [call])).toEqual(both)
  })

  it('keeps the entries of a given list', async () => {
    const { chain, accounts, token, probe } = await startScene()
    const given = [{ address: probe, storageKeys: [word(5)] }]
    const call = {
      from: accounts[0],
      to: token,
      data: tokenCall('balanceOf', [accounts[0]]),
      accessList: given,
    }
    const { both } = (await askBoth(chain, 'eth_createAccessList', [call])) as { both: RpcAccessList }
    expect(both.accessList.map(({ address }) => address).sort()).toEqual([probe, token].sort())
    expect(both.accessList).toContainEqual(given[0])
  })

  it('refuses calls that cannot be executed', async () => {
    const { chain, accounts } = await startScene()
    const to = accounts[1]
    expect(
      await askAll(chain, 'eth_createAccessList', {
        'too little gas': [{ from: accounts[0], to, gas: '0x5207' }],
        'too little ether': [{ from: accounts[0], to, value: `0x1${'0'.repeat(30)}` }],
        'a fee below the base fee': [{ from: accounts[0], to, gasPrice: '0x1', gas: '0x5208' }],
        'another chain': [{ to, chainId: '0x1' }],
        'no call': [],
      }),
    ).toMatchInlineSnapshot(`
      {
        "a fee below the base fee": {
          "both": "error -32000 max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 771694700",
        },
        "another chain": {
          "both": "error -32602 invalid argument 0.chainId: expected this chain's id (31337)",
        },
        "no call": {
          "both": "error -32602 invalid argument count: expected 1 to 3, got 0",
        },
        "too little ether": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "too little gas": {
          "both": "error -32000 intrinsic gas too low: have 20999, want 21000",
        },
      }
    `)
  })
})
