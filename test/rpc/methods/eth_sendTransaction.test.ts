import { encodeDeployData, encodeFunctionData, getContractAddress, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { Probe, Token } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'
import { ask, askBoth, probeCall, startScene } from '../scene.ts'

const RISING = `0x${'aa'.repeat(20)}`
/** Counts its calls in slot 0, and writes another slot from the second call on: the first needs the least gas. */
const RISING_CODE = '0x600054806001016000558015601357600190555b00'

describe('eth_sendTransaction', () => {
  it("takes the nonce after the sender's waiting transactions, on both views", async () => {
    const { chain, accounts } = await startScene()
    const [alice, , carol, dave] = accounts
    const sent = async (from: unknown) => {
      const hash = await chain.standard.request({
        method: 'eth_sendTransaction',
        params: [{ from: from as never, to: alice!, value: '0x1' }],
      })
      return (await chain.preconf.request({ method: 'eth_getTransactionByHash', params: [hash] }))!.nonce
    }
    // Account 2 has one waiting, account 3 one behind a gap, account 0 five that are sealed or pre-confirmed.
    expect([
      await sent(carol),
      await sent(carol),
      await sent(dave),
      await sent(dave),
      await sent(alice),
    ]).toEqual(['0x1', '0x2', '0x0', '0x2', '0x5'])
  })

  it('fills in the fields that eth_fillTransaction does, and keeps given ones', async () => {
    const { chain, accounts, probe } = await startScene()
    const [, , , , from] = accounts
    const request = { from: from!, to: probe, data: probeCall('set', [1n, 2n]) } as const
    const { tx } = await chain.preconf.request({ method: 'eth_fillTransaction', params: [{ ...request }] })
    const hash = await chain.preconf.request({ method: 'eth_sendTransaction', params: [{ ...request }] })
    const sent = await chain.preconf.request({ method: 'eth_getTransactionByHash', params: [hash] })
    for (const field of [
      'nonce',
      'gas',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
      'type',
      'input',
      'chainId',
    ] as const) {
      expect([field, sent![field]]).toEqual([field, tx[field]])
    }
    const given = { nonce: '0x1', gas: '0xc350', type: '0x1', gasPrice: '0x77359400', value: '0x0' } as const
    const second = await chain.preconf.request({
      method: 'eth_sendTransaction',
      params: [{ ...request, ...given }],
    })
    expect(
      await chain.preconf.request({ method: 'eth_getTransactionByHash', params: [second] }),
    ).toMatchObject(given)
  })

  it('resolves once the transaction is sealed in auto mining', async () => {
    const { preconf, accounts } = await startChain({ mining: 'auto' })
    const hash = await preconf.request({
      method: 'eth_sendTransaction',
      params: [{ from: accounts[0]!.address, to: accounts[1]!.address }],
    })
    expect(await ask(preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({ blockNumber: '0x1' })
  })

  it.each([
    ['standard', 'eth_sendTransaction'],
    ['preconf', 'eth_sendTransaction'],
    ['standard', 'eth_sendUnsignedTransaction'],
  ] as const)(
    'estimates each of several concurrent sends after those before it: on %s, %s',
    async (view, method) => {
      const chain = await startChain({ mining: 'auto' })
      const from = chain.accounts[0]!.address
      await ask(chain.standard, 'anvil_setCode', [RISING, RISING_CODE])
      const request = { from, to: RISING }
      const sends = Array.from({ length: 4 }, () => ask(chain[view], method, [request]))
      const receipts = await Promise.all(
        sends.map(async (hash) => ask(chain.standard, 'eth_getTransactionReceipt', [await hash])),
      )
      expect(receipts).toMatchObject([1, 2, 3, 4].map((n) => ({ status: '0x1', blockNumber: `0x${n}` })))
      expect(await ask(chain.standard, 'eth_getStorageAt', [RISING, '0x0'])).toBe(
        `0x${'4'.padStart(64, '0')}`,
      )
    },
  )

  it('executes concurrent sends on the results of those before them', async () => {
    const chain = await startChain({ mining: 'auto' })
    const [alice, bob] = chain.accounts.map(({ address }) => address)
    const deploy = encodeDeployData({ abi: Token.abi, bytecode: Token.bytecode, args: [] })
    const token = getContractAddress({ from: alice!, nonce: 0n })
    const call = (functionName: 'approve' | 'transferFrom', args: readonly unknown[]) =>
      encodeFunctionData({ abi: Token.abi, functionName, args } as never)
    const answers = await Promise.all(
      [
        { from: alice, data: deploy },
        { from: alice, to: token, data: call('approve', [bob, 5n]) },
        { from: bob, to: token, data: call('transferFrom', [alice, bob, 5n]) },
        { from: bob, to: token, data: call('transferFrom', [alice, bob, 5n]) },
      ].map((request) => ask(chain.standard, 'eth_sendTransaction', [request])),
    )
    expect(answers.map(String)).toEqual([
      ...Array(3).fill(expect.stringMatching(/^0x[0-9a-f]{64}$/)),
      expect.stringMatching(/^error -32000 execution reverted/),
    ])
  })

  it('sends a reverting transaction if the gas is given', async () => {
    const { chain, accounts, probe } = await startScene()
    const request = { from: accounts[4]!, to: probe, data: probeCall('fail') }
    expect(await ask(chain.preconf, 'eth_sendTransaction', [request])).toMatch(
      /^error -32000 execution reverted/,
    )
    const hash = await ask(chain.preconf, 'eth_sendTransaction', [{ ...request, gas: '0x186a0' }])
    await chain.tick()
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x0' })
  })

  it('refuses unknown accounts, incomplete transactions, and what the mempool refuses', async () => {
    const { chain, accounts } = await startScene()
    const [from, to] = accounts
    const stranger = `0x${'99'.repeat(20)}`
    const before = await ask(chain.preconf, 'txpool_content')
    const refuse = (request: object) => askBoth(chain, 'eth_sendTransaction', [request])
    expect({
      'an unknown account': await refuse({ from: stranger, to }),
      'an unknown account whose call would revert': await refuse({ from: stranger, to, value: '0x1' }),
      'no sender': await refuse({ to }),
      'another chain': await refuse({ from, to, chainId: '0x1' }),
      blobs: await refuse({ from, to, maxFeePerBlobGas: '0x1' }),
      'a used nonce': await refuse({ from, to, nonce: '0x0' }),
      'more than there is': await refuse({ from, to, value: `0x1${'0'.repeat(30)}` }),
      'gas price beside fees': await refuse({ from, to, gasPrice: '0x1', maxFeePerGas: '0x1' }),
    }).toMatchInlineSnapshot(`
      {
        "a used nonce": {
          "both": "error -32000 nonce too low",
        },
        "an unknown account": {
          "both": "error 4100 unknown account 0x9999999999999999999999999999999999999999",
        },
        "an unknown account whose call would revert": {
          "both": "error 4100 unknown account 0x9999999999999999999999999999999999999999",
        },
        "another chain": {
          "both": "error -32602 invalid argument 0.chainId: expected this chain's id (31337)",
        },
        "blobs": {
          "both": "error -32602 invalid argument 0.maxFeePerBlobGas: expected no value: blob transactions cannot be filled in",
        },
        "gas price beside fees": {
          "both": "error -32602 invalid argument 0.maxFeePerGas: expected no value if gasPrice is given",
        },
        "more than there is": {
          "both": "error -32000 insufficient funds for gas * price + value",
        },
        "no sender": {
          "both": "error -32602 invalid argument 0.from: expected a 20-byte address",
        },
      }
    `)
    expect(await ask(chain.preconf, 'txpool_content')).toEqual(before)
  })

  it('refuses a connection whose permission was revoked', async () => {
    const { preconf, standard, accounts } = await startChain()
    await preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    const from = accounts[0]!.address
    expect(await ask(preconf, 'eth_sendTransaction', [{ from, to: from }])).toBe(
      `error 4100 unknown account ${from}`,
    )
    expect(await ask(standard, 'eth_sendTransaction', [{ from, to: from }])).toMatch(/^0x/)
  })

  it('sends transactions that decode to the same fields', async () => {
    const { preconf, accounts, tick } = await startChain()
    const from = accounts[0]!.address
    const send = (request: object) =>
      preconf.request({ method: 'eth_sendTransaction', params: [{ from, ...request }] })
    await send({ data: encodeDeployData(Probe) })
    await send({ to: from, type: '0x0', gasPrice: `0x${parseGwei('2').toString(16)}` })
    const { block } = await tick()
    // Another chain decodes the raw transactions.
    const raws = await Promise.all(
      block.transactions.map(({ hash }) =>
        preconf.request({ method: 'eth_getRawTransactionByHash', params: [hash] }),
      ),
    )
    const again = await startChain()
    for (const [i, raw] of raws.entries()) {
      const hash = await again.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
      expect(hash).toBe(block.transactions[i]!.hash)
      const { blockHash, blockNumber, blockTimestamp, transactionIndex, gasPrice, ...fields } =
        block.transactions[i]!
      expect(
        await again.preconf.request({ method: 'eth_getTransactionByHash', params: [hash] }),
      ).toMatchObject(fields)
    }
  })
})
