import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  encodeFunctionData,
  parseEther,
  parseGwei,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { Delegate, Probe, Token } from '../contracts/artifacts.ts'
import { startChain, type TestChain } from '../harness.ts'
import { wiretap } from './wiretap.ts'

type ViewName = 'standard' | 'preconf'

const EXECUTING = /^eth_(call|estimateGas|send)/

/** viem on one view of a chain, and the step after which that view shows what was sent. */
async function start(view: ViewName) {
  const chain = await startChain()
  const tap = wiretap(chain[view])
  const options = { chain: foundry, transport: custom(tap), pollingInterval: 10, cacheTime: 0 } as const
  const account = accountOf(chain, 0)
  return {
    chain,
    tap,
    account,
    client: createPublicClient(options),
    wallet: createWalletClient({ ...options, account }),
    show: async () => void (view === 'preconf' ? await chain.tick() : await chain.seal()),
    /** Seals what was shown, where that is not the same. */
    settle: async () => void (view === 'preconf' && (await chain.seal())),
    /** The tag under which the view shows it. */
    blockTag: view === 'preconf' ? ('pending' as const) : ('latest' as const),
  }
}

type Setup = Awaited<ReturnType<typeof start>>

function accountOf(chain: TestChain, index: number) {
  return privateKeyToAccount(chain.accounts[index]!.privateKey)
}

async function deploy(
  { client, wallet, show }: Setup,
  contract: { readonly abi: readonly unknown[]; readonly bytecode: `0x${string}` },
) {
  const hash = await wallet.deployContract({ abi: contract.abi, bytecode: contract.bytecode })
  await show()
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  return contractAddress!
}

async function failure(promise: Promise<unknown>): Promise<BaseError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BaseError)
  return error as BaseError
}

function revertOf(error: BaseError) {
  const cause = error.walk((at) => at instanceof ContractFunctionRevertedError)
  if (!(cause instanceof ContractFunctionRevertedError)) throw error
  const { reason, data, raw } = cause
  return { reason, name: data?.errorName, args: data?.args, raw }
}

describe.each(['standard', 'preconf'] as const)('viem on %s', (view) => {
  it('deploys a contract, writes to it, and reads it', async () => {
    const setup = await start(view)
    const { chain, client, wallet, account, show, blockTag, settle } = setup
    const address = await deploy(setup, Token)
    const to = chain.accounts[1]!.address

    const hash = await wallet.writeContract({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [to, 7n],
      // What the estimate runs on is `latest`, where on preconf the contract is not yet.
      ...(view === 'preconf' && { gas: 100_000n }),
    })
    await show()
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', from: account.address.toLowerCase(), to: address })
    expect(
      await client.readContract({ abi: Token.abi, address, functionName: 'balanceOf', args: [to], blockTag }),
    ).toBe(7n)
    expect(await client.readContract({ abi: Token.abi, address, functionName: 'symbol', blockTag })).toBe(
      'TEST',
    )
    expect(await client.getCode({ address, blockTag })).toMatch(/^0x6080/)

    await settle()
    expect(await client.getTransactionReceipt({ hash })).toEqual(receipt)
    expect(await client.getTransaction({ hash })).toMatchObject({ hash, blockHash: receipt.blockHash })
    expect(await client.getTransactionConfirmations({ hash })).toBe(1n)
  })

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

  it.each(reverts)('decodes the revert of %s, and asks once', async (functionName, expected) => {
    const setup = await start(view)
    const { client, wallet, account, tap, settle } = setup
    const address = await deploy(setup, Probe)
    await settle()
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
      methods: ['eth_estimateGas -32000'],
    })
    expect(await decoded(() => wallet.writeContract(call as never))).toMatchObject({
      ...expected,
      methods: ['eth_estimateGas -32000'],
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
    const { chain, client, wallet, account, settle } = setup
    const address = await deploy(setup, Token)
    await settle()
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

  it('includes a transaction that reverts, with status reverted', async () => {
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

  it('asks once for what fails without a revert', async () => {
    const setup = await start(view)
    const { client, account, tap, settle } = setup
    const address = await deploy(setup, Probe)
    await settle()
    const call = { abi: Probe.abi, address, account, gas: 100_000n } as const
    const details: string[] = []
    const methods = await tap.during(async () => {
      for (const functionName of ['loop', 'invalid'] as const) {
        details.push((await failure(client.simulateContract({ ...call, functionName } as never))).details)
        details.push((await failure(client.estimateContractGas({ ...call, functionName } as never))).details)
      }
    })
    expect(methods.filter((name) => EXECUTING.test(name))).toEqual([
      'eth_call -32000',
      'eth_estimateGas -32000',
      'eth_call -32000',
      'eth_estimateGas -32000',
    ])
    expect(details).toEqual([
      'out of gas',
      'gas required exceeds allowance (30000000)',
      'invalid opcode',
      'invalid opcode',
    ])
  })

  it('names why a transaction is refused, and sends it once', async () => {
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
    // viem has one class for both.
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

  it('asks eth_fillTransaction first, and no more once it is told there is none', async () => {
    const { chain, wallet, show, tap } = await start(view)
    const to = chain.accounts[1]!.address
    const send = () => wallet.sendTransaction({ to, value: 1n })
    expect(await tap.during(send)).toEqual([
      'eth_fillTransaction -32601',
      'eth_getTransactionCount',
      'eth_getBlockByNumber',
      'eth_maxPriorityFeePerGas',
      'eth_estimateGas',
      'eth_sendRawTransaction',
    ])
    await show()
    expect(await tap.during(send)).not.toContain('eth_fillTransaction -32601')
  })

  it('replaces a transaction by raising its fees', async () => {
    const { chain, client, wallet, show } = await start(view)
    const to = chain.accounts[1]!.address
    const fields = { to, nonce: 0, gas: 21_000n } as const
    const gwei = (fee: string, tip: string) => ({
      maxFeePerGas: parseGwei(fee),
      maxPriorityFeePerGas: parseGwei(tip),
    })
    const first = await wallet.sendTransaction({ ...fields, value: 1n, ...gwei('3', '1') })
    const second = await wallet.sendTransaction({ ...fields, value: 2n, ...gwei('3.3', '1.1') })
    await show()
    expect(await client.waitForTransactionReceipt({ hash: second })).toMatchObject({ status: 'success' })
    await expect(client.getTransactionReceipt({ hash: first })).rejects.toThrow(/could not be found/)
  })

  it('finds logs by range, by block hash, by event and by argument', async () => {
    const setup = await start(view)
    const { chain, client, wallet, account, show, blockTag, settle } = setup
    const address = await deploy(setup, Token)
    await settle()
    const [, bob, carol] = chain.accounts.map((at) => at.address)
    for (const [i, to] of [bob!, carol!].entries()) {
      const transfer = { abi: Token.abi, address, functionName: 'transfer', args: [to, 5n] } as const
      await wallet.writeContract({ ...transfer, nonce: 1 + i })
    }
    await show()
    const range = { fromBlock: 0n, toBlock: blockTag }
    const all = await client.getContractEvents({ abi: Token.abi, address, eventName: 'Transfer', ...range })
    expect(all.map(({ args, logIndex }) => [args.to?.toLowerCase(), args.value, logIndex])).toEqual([
      [account.address.toLowerCase(), 10n ** 24n, 0],
      [bob, 5n, 0],
      [carol, 5n, 1],
    ])
    const toCarol = await client.getContractEvents({
      abi: Token.abi,
      address,
      eventName: 'Transfer',
      args: { to: carol! },
      ...range,
    })
    expect(toCarol).toEqual([all[2]])
    expect((await client.getLogs({ address, ...range })).map(({ topics }) => topics)).toEqual(
      all.map(({ topics }) => topics),
    )
    const { hash } = await client.getBlock({ blockTag })
    expect((await client.getLogs({ blockHash: hash! })).map(({ logIndex }) => logIndex)).toEqual([0, 1])
  })

  it('reads filters: events, blocks and waiting transactions', async () => {
    const setup = await start(view)
    const { chain, client, wallet, blockTag, settle } = setup
    const address = await deploy(setup, Token)
    await settle()
    const events = await client.createContractEventFilter({
      abi: Token.abi,
      address,
      eventName: 'Transfer',
      fromBlock: 0n,
      toBlock: blockTag,
    })
    const blocks = await client.createBlockFilter()
    const pending = await client.createPendingTransactionFilter()
    const hash = await wallet.writeContract({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [chain.accounts[1]!.address, 5n],
    })
    expect(await client.getFilterChanges({ filter: pending })).toEqual([hash])
    const snapshot = await chain.tick()
    const seen = await client.getFilterChanges({ filter: events })
    expect(seen.length).toBe(view === 'preconf' ? 1 : 0)
    const { block } = await chain.seal()
    expect(block.hash).toBe(snapshot.block.hash)
    const later = await client.getFilterChanges({ filter: events })
    expect([...seen, ...later].map(({ args, transactionHash }) => [args.value, transactionHash])).toEqual([
      [5n, hash],
    ])
    expect(await client.getFilterChanges({ filter: blocks })).toEqual([block.hash])
    expect(await client.getFilterChanges({ filter: pending })).toEqual([])
    expect((await client.getFilterLogs({ filter: events })).length).toBe(2)
    expect(await client.uninstallFilter({ filter: events })).toBe(true)
    await expect(client.getFilterChanges({ filter: events })).rejects.toThrow('filter not found')
  })

  it('estimates fees that enter the next block', async () => {
    const { chain, client, wallet, show, settle } = await start(view)
    const to = chain.accounts[1]!.address
    const { baseFeePerGas } = await client.getBlock()
    expect(await client.estimateFeesPerGas()).toEqual({
      maxFeePerGas: (baseFeePerGas! * 12n) / 10n + parseGwei('1'),
      maxPriorityFeePerGas: parseGwei('1'),
    })
    expect(await client.estimateFeesPerGas({ type: 'legacy' })).toEqual({
      gasPrice: ((await client.getGasPrice()) * 12n) / 10n,
    })
    expect(await client.estimateMaxPriorityFeePerGas()).toBe(parseGwei('1'))
    expect(await client.getBlobBaseFee()).toBe(1n)
    await wallet.sendTransaction({ to, value: 1n, maxPriorityFeePerGas: parseGwei('2') })
    await show()
    await settle()
    const history = await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [0, 50, 100] })
    const [genesis, first] = await Promise.all(
      [0n, 1n].map((blockNumber) => client.getBlock({ blockNumber })),
    )
    expect(history).toMatchObject({
      oldestBlock: 0n,
      gasUsedRatio: [0, 21_000 / Number(first!.gasLimit)],
      reward: [
        [0n, 0n, 0n],
        [parseGwei('2'), parseGwei('2'), parseGwei('2')],
      ],
    })
    expect(history.baseFeePerGas.slice(0, 2)).toEqual([genesis!.baseFeePerGas, first!.baseFeePerGas])
  })

  it('reads blocks with hashes and with whole transactions', async () => {
    const { chain, client, wallet, show, blockTag, settle } = await start(view)
    const to = chain.accounts[1]!.address
    const hash = await wallet.sendTransaction({ to, value: 1n })
    const waiting = await client.getTransaction({ hash })
    expect([waiting.blockHash, waiting.blockNumber, waiting.transactionIndex]).toEqual([null, null, null])
    await show()
    const block = await client.getBlock({ blockTag })
    expect(block.transactions).toEqual([hash])
    expect(block.number).toBe(1n)
    const full = await client.getBlock({ blockTag, includeTransactions: true })
    expect(full.transactions).toEqual([await client.getTransaction({ hash })])
    expect({ ...full, transactions: [hash] }).toEqual(block)
    expect(await client.getBlock({ blockHash: block.hash! })).toEqual(block)
    expect(await client.getBlockTransactionCount({ blockTag })).toBe(1)
    expect(await client.getTransaction({ blockHash: block.hash!, index: 0 })).toEqual(full.transactions[0])
    await settle()
    expect(await client.getBlock({ blockNumber: 1n })).toEqual(block)
    expect(await client.getBlockNumber()).toBe(1n)
    await expect(client.getBlock({ blockNumber: 9n })).rejects.toThrow(/could not be found/)

    const pending = await client.getBlock({ blockTag: 'pending' })
    expect([pending.number, pending.transactions]).toEqual([view === 'preconf' ? 2n : null, []])
  })

  it('sends legacy, access list and fee market transactions', async () => {
    const { chain, client, wallet, show } = await start(view)
    const to = chain.accounts[1]!.address
    const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(32)}`] as const }]
    const gasPrice = parseGwei('3')
    const hashes = [
      await wallet.sendTransaction({ to, nonce: 0, type: 'legacy', gasPrice }),
      await wallet.sendTransaction({ to, nonce: 1, type: 'eip2930', gasPrice, accessList }),
      await wallet.sendTransaction({ to, nonce: 2, type: 'eip1559', accessList }),
    ]
    await show()
    const receipts = await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
    expect(receipts.map(({ type, gasUsed, status }) => [type, gasUsed, status])).toEqual([
      ['legacy', 21_000n, 'success'],
      ['eip2930', 25_300n, 'success'],
      ['eip1559', 25_300n, 'success'],
    ])
    const read = await Promise.all(hashes.map((hash) => client.getTransaction({ hash })))
    expect(read.map((tx) => [tx.type, tx.accessList])).toEqual([
      ['legacy', undefined],
      ['eip2930', accessList],
      ['eip1559', accessList],
    ])
  })

  it("delegates an account's code by an EIP-7702 authorisation, and acts through it", async () => {
    const setup = await start(view)
    const { chain, client, wallet, show, blockTag, settle } = setup
    const address = await deploy(setup, Delegate)
    await settle()
    const eoa = accountOf(chain, 3)
    const to = chain.accounts[4]!.address
    const before = await client.getBalance({ address: to })

    const authorization = await wallet.signAuthorization({ account: eoa, contractAddress: address })
    const data = encodeFunctionData({
      abi: Delegate.abi,
      functionName: 'execute',
      args: [to, parseEther('1'), '0x'],
    })
    const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: eoa.address, data })
    await show()
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
      type: 'eip7702',
    })
    expect(await client.getBalance({ address: to, blockTag })).toBe(before + parseEther('1'))
    expect(await client.getCode({ address: eoa.address, blockTag })).toBe(`0xef0100${address.slice(2)}`)
    const { authorizationList } = await client.getTransaction({ hash })
    expect(authorizationList).toMatchObject([{ address, chainId: 31_337, nonce: 0 }])
    await settle()
    expect(await client.getDelegation({ address: eoa.address })).toMatch(new RegExp(address, 'i'))

    // Its owner still sends as before.
    const own = createWalletClient({ account: eoa, chain: foundry, transport: custom(setup.tap) })
    const sent = await own.sendTransaction({ to, value: 1n })
    await show()
    expect(await client.waitForTransactionReceipt({ hash: sent })).toMatchObject({ status: 'success' })
  })

  it('waits in sendTransactionSync and writeContractSync until the view shows the receipt', async () => {
    const setup = await start(view)
    const { chain, wallet, show, settle } = setup
    const address = await deploy(setup, Token)
    await settle()
    const to = chain.accounts[1]!.address
    const once = () => new Promise<void>((resolve) => void chain.once('transaction', () => resolve()))

    let arrived = once()
    const transfer = wallet.sendTransactionSync({ to, value: 1n })
    await arrived
    await show()
    expect(await transfer).toMatchObject({ status: 'success', blockNumber: 2n })
    arrived = once()
    const write = wallet.writeContractSync({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [to, 1n],
    })
    await arrived
    const { block } = view === 'preconf' ? await chain.tick() : await chain.seal()
    expect(await write).toMatchObject({ status: 'success', blockHash: block.hash })
  })
})
