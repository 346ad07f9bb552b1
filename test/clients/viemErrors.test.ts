import { type BaseError, encodeFunctionData, parseEther, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { Probe, Token } from '../contracts/artifacts.ts'
import { accountOf, deploy, failure, revertOf, start } from './viemSetup.ts'

const EXECUTING = /^eth_(call|estimateGas|fillTransaction|send)/

describe.each(['standard', 'preconf'] as const)('viem, if a request fails on %s,', (view) => {
  const reverts = [
    ['fail', { reason: undefined, name: 'Nope', args: [42n] }],
    ['failString', { reason: 'nope', name: 'Error', args: ['nope'] }],
    [
      'panic',
      {
        reason: 'An `assert` condition failed.',
        name: 'Panic',
        args: [1n],
      },
    ],
    ['failEmpty', { reason: 'execution reverted', name: undefined, args: undefined }],
  ] as const

  it.each(reverts)('decodes the revert of %s, and sends the request once', async (functionName, expected) => {
    const setup = await start(view)
    const { client, wallet, account, tap, ensureSealed } = setup
    const address = await deploy(setup, Probe)
    await ensureSealed()
    const call = { abi: Probe.abi, address, functionName, account } as const
    const decoded = async (act: () => Promise<unknown>) => {
      let error: BaseError | undefined
      const methods = await tap.during(async () => {
        error = await failure(act())
      })
      return { ...revertOf(error!), methods: methods.filter((name) => EXECUTING.test(name)) }
    }

    expect(await decoded(() => client.readContract(call))).toMatchObject({
      ...expected,
      methods: ['eth_call -32000'],
    })
    expect(await decoded(() => client.simulateContract(call as never))).toMatchObject({
      ...expected,
      methods: ['eth_call -32000'],
    })
    expect(await decoded(() => client.estimateContractGas(call as never))).toMatchObject({
      ...expected,
      methods: ['eth_fillTransaction -32000'],
    })
    expect(await decoded(() => wallet.writeContract(call as never))).toMatchObject({
      ...expected,
      methods: ['eth_fillTransaction -32000'],
    })

    const data = encodeFunctionData({ abi: Probe.abi, functionName })
    for (const act of [
      () => client.call({ to: address, data }),
      () => client.estimateGas({ account, to: address, data }),
    ]) {
      const raw = await failure(act())
      expect(raw.details).toBe('execution reverted')
    }
  })

  it('decodes a custom error with arguments, through call, estimate, simulation and write', async () => {
    const setup = await start(view)
    const { chain, client, wallet, account, ensureSealed } = setup
    const address = await deploy(setup, Token)
    await ensureSealed()
    const supply = 10n ** 24n
    const call = {
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [chain.accounts[1]!.address, supply + 1n],
      account,
    } as const
    const expected = {
      name: 'InsufficientBalance',
      args: [account.address, supply, supply + 1n],
      reason: undefined,
    }
    for (const act of [
      () => client.readContract(call as never),
      () => client.simulateContract(call),
      () => client.estimateContractGas(call),
      () => wallet.writeContract(call),
    ]) {
      expect(revertOf(await failure(act()))).toMatchObject(expected)
    }
  })

  it('returns the receipt of a reverted transaction, with status reverted', async () => {
    const setup = await start(view)
    const { client, wallet, show } = setup
    const address = await deploy(setup, Probe)
    const hash = await wallet.writeContract({
      abi: Probe.abi,
      address,
      functionName: 'fail',
      gas: 100_000n,
    } as never)
    await show()
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'reverted', logs: [] })
  })

  it('sends a request that fails without a revert once', async () => {
    const setup = await start(view, { gasLimit: 5_000_000n })
    const { client, account, tap, ensureSealed } = setup
    const address = await deploy(setup, Probe)
    await ensureSealed()
    const call = { abi: Probe.abi, address, account, gas: 100_000n } as const
    const details: string[] = []
    const methods = await tap.during(async () => {
      for (const functionName of ['loop', 'invalid'] as const) {
        details.push((await failure(client.simulateContract({ ...call, functionName } as never))).details)
        details.push((await failure(client.estimateContractGas({ ...call, functionName } as never))).details)
      }
    })
    // With a given gas, eth_fillTransaction executes nothing.
    const estimate = ['eth_fillTransaction', 'eth_estimateGas -32000']
    expect(methods.filter((name) => EXECUTING.test(name))).toEqual([
      'eth_call -32000',
      ...estimate,
      'eth_call -32000',
      ...estimate,
    ])
    expect(details).toEqual([
      'out of gas',
      'gas required exceeds allowance (5000000)',
      'invalid opcode',
      'invalid opcode',
    ])
  })

  it('reports why a transaction is refused, and sends it once', async () => {
    const setup = await start(view)
    const { chain, wallet, account, show, tap } = setup
    const to = chain.accounts[1]!.address
    const fields = { to, gas: 21_000n, maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }
    await wallet.sendTransaction({ ...fields, nonce: 0 })
    await show()
    await wallet.sendTransaction({ ...fields, nonce: 1 })
    const refused = async (request: object) => {
      let error: BaseError | undefined
      const methods = await tap.during(async () => {
        error = await failure(wallet.sendTransaction({ ...fields, ...request } as never))
      })
      expect(methods.filter((name) => name.startsWith('eth_send'))).toEqual(['eth_sendRawTransaction -32000'])
      return [(error!.cause as Error).name, (error!.cause as BaseError).details]
    }
    expect(await refused({ nonce: 0, value: 1n })).toEqual(['NonceTooLowError', 'nonce too low'])
    // viem has one class for both errors.
    expect(await refused({ nonce: 1 })).toEqual(['NonceTooLowError', 'already known'])
    expect(await refused({ nonce: 1, value: 1n })).toEqual([
      'InvalidInputRpcError',
      'replacement transaction underpriced',
    ])
    expect(await refused({ nonce: 2, value: parseEther('20000') })).toEqual([
      'InsufficientFundsError',
      'insufficient funds for gas * price + value',
    ])
    expect(await refused({ nonce: 2, gas: 20_000n })).toEqual([
      'IntrinsicGasTooLowError',
      'intrinsic gas too low: have 20000, want 21000',
    ])
    expect(account.address).toBe(accountOf(chain, 0).address)
  })

  it('requests only eth_fillTransaction before it sends', async () => {
    const { chain, wallet, show, tap } = await start(view)
    const to = chain.accounts[1]!.address
    const send = () => wallet.sendTransaction({ to, value: 1n })
    for (let i = 0; i < 2; i++) {
      expect(await tap.during(send)).toEqual(['eth_fillTransaction', 'eth_sendRawTransaction'])
      await show()
    }
  })
})
