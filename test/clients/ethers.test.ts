import {
  BrowserProvider,
  Contract,
  type ContractEventPayload,
  ContractFactory,
  Interface,
  isError,
  parseEther,
  parseUnits,
  type TransactionResponse,
  Wallet,
} from 'ethers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Delegate, Probe, Token } from '../contracts/artifacts.ts'
import { startChain } from '../harness.ts'
import { stepUntil } from './stepUntil.ts'
import { wiretap } from './wiretap.ts'

async function start(view: 'standard' | 'preconf') {
  const chain = await startChain()
  const tap = wiretap(chain[view])
  // ethers caches answers for 250 ms, which is longer than a preconf block lasts.
  const provider = new BrowserProvider(tap, undefined, { cacheTimeout: -1, pollingInterval: 5 })
  onTestFinished(() => provider.destroy())
  const show = async () => void (view === 'preconf' ? await chain.tick() : await chain.seal())
  const signer = new Wallet(chain.accounts[0]!.privateKey, provider)
  return {
    chain,
    tap,
    provider,
    signer,
    to: chain.accounts[1]!.address,
    show,
    /** The tag at which `show` makes transactions visible. */
    blockTag: view === 'preconf' ? 'pending' : 'latest',
    /** Deploys and seals. */
    async deploy(contract: { readonly abi: readonly object[]; readonly bytecode: string }) {
      const deployed = await new ContractFactory(contract.abi as never, contract.bytecode, signer).deploy()
      await chain.seal()
      await deployed.waitForDeployment()
      return new Contract(await deployed.getAddress(), contract.abi as never, signer)
    },
  }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
}

/** The revert that ethers attached, or the one decoded from its data: an estimate has no interface. */
async function revertOf(promise: Promise<unknown>, abi: Interface) {
  const error = await failure(promise)
  if (!isError(error, 'CALL_EXCEPTION')) throw error
  const own = error.revert
  const parsed = own ?? (error.data && error.data !== '0x' ? abi.parseError(error.data) : null)
  if (parsed === null) return { reason: error.reason }
  // Reverts that ethers decodes without an interface have numbers.
  return {
    name: parsed.name,
    args: [...parsed.args].map((arg) => (typeof arg === 'number' ? BigInt(arg) : arg)),
  }
}

describe('an ethers client', () => {
  describe.each(['standard', 'preconf'] as const)('ethers on %s', (view) => {
    it('deploys a contract, writes to it, and reads it', async () => {
      const { chain, provider, signer, to, show, blockTag, deploy } = await start(view)
      const token = await deploy(Token)
      const sent: TransactionResponse = await token.getFunction('transfer')(to, 7n)
      await show()
      const receipt = await sent.wait(0)
      expect(receipt).toMatchObject({ status: 1, from: signer.address, to: await token.getAddress() })
      expect(await token.getFunction('balanceOf')(to, { blockTag })).toBe(7n)
      expect(await token.getFunction('symbol')({ blockTag })).toBe('TEST')
      await chain.seal()
      expect((await sent.wait())!.toJSON()).toEqual(receipt!.toJSON())
      expect((await provider.getTransaction(sent.hash))!.blockHash).toBe(receipt!.blockHash)
    })

    it.each([
      ['fail', { name: 'Nope', args: [42n] }],
      ['failString', { name: 'Error', args: ['nope'] }],
      ['panic', { name: 'Panic', args: [1n] }],
      ['failEmpty', { reason: 'require(false)' }],
    ])('decodes the revert of %s, and sends the request once', async (name, expected) => {
      const { tap, deploy } = await start(view)
      const probe = await deploy(Probe)
      const fn = probe.getFunction(name)
      const decoded = async (act: () => Promise<unknown>) => {
        let revert: object | undefined
        const methods = await tap.during(async () => {
          revert = await revertOf(act(), probe.interface)
        })
        return { revert, methods: methods.filter((method) => /^eth_(call|estimateGas|send)/.test(method)) }
      }
      expect(await decoded(() => fn.staticCall())).toEqual({ revert: expected, methods: ['eth_call -32000'] })
      for (const act of [() => fn.estimateGas(), () => fn.send()]) {
        expect(await decoded(act)).toEqual({ revert: expected, methods: ['eth_estimateGas -32000'] })
      }
    })

    it('decodes a custom error with arguments, through call, estimate and write', async () => {
      const { signer, to, deploy } = await start(view)
      const token = await deploy(Token)
      const supply = 10n ** 24n
      const transfer = token.getFunction('transfer')
      const expected = { name: 'InsufficientBalance', args: [signer.address, supply, supply + 1n] }
      for (const act of [transfer.staticCall, transfer.estimateGas, transfer.send]) {
        expect(await revertOf(act(to, supply + 1n), token.interface)).toEqual(expected)
      }
    })

    it('reports that an included transaction reverted', async () => {
      const { show, deploy } = await start(view)
      const probe = await deploy(Probe)
      const sent: TransactionResponse = await probe.getFunction('fail').send({ gasLimit: 100_000n })
      await show()
      const error = await failure(sent.wait(0))
      expect(isError(error, 'CALL_EXCEPTION') && error.receipt).toMatchObject({ status: 0, hash: sent.hash })
    })

    it('reports why a transaction is refused, and sends it once', async () => {
      const { tap, signer, to, show } = await start(view)
      const fields = {
        to,
        gasLimit: 21_000n,
        maxFeePerGas: parseUnits('3', 'gwei'),
        maxPriorityFeePerGas: 1n,
      }
      await signer.sendTransaction({ ...fields, nonce: 0 })
      await show()
      await signer.sendTransaction({ ...fields, nonce: 1 })
      const refused = async (request: object) => {
        let code: unknown
        const methods = await tap.during(async () => {
          code = ((await failure(signer.sendTransaction({ ...fields, ...request }))) as { code: string }).code
        })
        expect(methods.filter((name) => name.startsWith('eth_send'))).toEqual([
          'eth_sendRawTransaction -32000',
        ])
        return code
      }
      expect(await refused({ nonce: 0, value: 1n })).toBe('NONCE_EXPIRED')
      expect(await refused({ nonce: 1, value: 1n })).toBe('REPLACEMENT_UNDERPRICED')
      expect(await refused({ nonce: 2, value: parseEther('20000') })).toBe('INSUFFICIENT_FUNDS')
      expect(await refused({ nonce: 1 })).toBe('UNKNOWN_ERROR')
    })

    it('requests an unknown method once, and reports it as unsupported', async () => {
      const { tap, provider } = await start(view)
      await provider.getNetwork()
      const methods = await tap.during(() => failure(provider.send('eth_unheardOf', [])))
      expect(methods.filter((name) => name !== 'eth_chainId')).toEqual(['eth_unheardOf -32601'])
      const error = await failure(provider.send('eth_unheardOf', []))
      expect(isError(error, 'UNSUPPORTED_OPERATION')).toBe(true)
    })

    it('finds logs by range, by block hash and by argument', async () => {
      const { signer, provider, chain, show, blockTag, deploy } = await start(view)
      const token = await deploy(Token)
      const [, bob, carol] = chain.accounts.map(({ address }) => address)
      for (const [i, to] of [bob, carol].entries())
        await token.getFunction('transfer')(to, 5n, { nonce: 1 + i })
      await show()
      const all = await token.queryFilter('Transfer', 0, blockTag)
      const found = all.map(
        (log) => 'args' in log && [String(log.args[1]).toLowerCase(), log.args[2], log.index],
      )
      expect(found).toEqual([
        [signer.address.toLowerCase(), 10n ** 24n, 0],
        [bob, 5n, 0],
        [carol, 5n, 1],
      ])
      const toCarol = await token.queryFilter(token.getEvent('Transfer')(null, carol), 0, blockTag)
      expect(toCarol.map(({ transactionHash }) => transactionHash)).toEqual([all[2]!.transactionHash])
      const logs = await provider.getLogs({ blockHash: all[2]!.blockHash })
      expect(logs.map(({ index }) => index)).toEqual([0, 1])
    })

    it('listens to blocks, events and waiting transactions, each once', async () => {
      const { chain, tap, provider, to, deploy } = await start(view)
      const token = await deploy(Token)
      const seen = { blocks: [] as number[], events: [] as bigint[], pending: [] as string[] }
      const polls = tap.count('eth_blockNumber')
      await provider.on('block', (number: number) => seen.blocks.push(number))
      await token.on('Transfer', (_from, _to, value: bigint, _event: ContractEventPayload) => {
        seen.events.push(value)
      })
      await provider.on('pending', (hash: string) => seen.pending.push(hash))
      await vi.waitUntil(
        () => tap.count('eth_newFilter') + tap.count('eth_newPendingTransactionFilter') === 2,
        {
          interval: 2,
        },
      )
      // Blocks are reported from the number of the first poll on.
      await vi.waitUntil(() => tap.count('eth_blockNumber') > polls, { interval: 2 })

      const hashes: string[] = []
      for (const value of [1n, 2n]) {
        const sent: TransactionResponse = await token.getFunction('transfer')(to, value)
        hashes.push(sent.hash)
        await chain.tick()
        await chain.seal()
        await vi.waitUntil(() => seen.events.length === Number(value), { interval: 2 })
      }
      const polled = tap.count('eth_blockNumber')
      await vi.waitUntil(() => tap.count('eth_blockNumber') > polled + 1, { interval: 2 })
      expect(seen).toEqual({ blocks: [2, 3], events: [1n, 2n], pending: hashes })
      await token.removeAllListeners()
      await provider.removeAllListeners()
      await vi.waitUntil(() => tap.count('eth_uninstallFilter') === 2, { interval: 2 })
    })

    it('removes listeners of waiting transactions as the chain is closed', async () => {
      const { chain, tap, provider } = await start(view)
      const listener = () => {}
      await provider.on('pending', listener)
      await vi.waitUntil(() => tap.count('eth_getFilterChanges') > 0, { interval: 2 })
      const removed = provider.off('pending', listener)
      await Promise.all([removed, chain.close()])
      await vi.waitUntil(() => tap.count('eth_uninstallFilter') > 0, { interval: 2 })
      const uninstalled = tap.exchanges.filter(({ method }) => method === 'eth_uninstallFilter')
      expect(uninstalled.map(({ code }) => code)).toEqual([undefined])
    })

    it('waits for a receipt, and for further confirmations', async () => {
      const { chain, signer, to } = await start(view)
      const sent = await signer.sendTransaction({ to, value: 1n })
      const one = sent.wait()
      const two = sent.wait(2)
      const { block } = await chain.seal()
      expect((await stepUntil(one, () => chain.seal()))!.blockHash).toBe(block.hash)
      expect((await stepUntil(two, () => chain.seal()))!.blockHash).toBe(block.hash)
    })

    it('suggests fees that suffice for the next block', async () => {
      const { provider, signer, to, show } = await start(view)
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
      const gwei = parseUnits('1', 'gwei')
      const { baseFeePerGas } = (await provider.getBlock('latest'))!
      expect([maxPriorityFeePerGas, maxFeePerGas]).toEqual([gwei, baseFeePerGas! * 2n + gwei])
      const sent = await signer.sendTransaction({ to, gasPrice, type: 0 })
      await show()
      expect((await sent.wait(0))!.gasPrice).toBe(gasPrice)
      const history = await provider.send('eth_feeHistory', ['0x1', 'latest', [50]])
      expect(history.baseFeePerGas).toHaveLength(2)
    })

    it('reads blocks with hashes and with whole transactions', async () => {
      const { chain, provider, signer, to, show, blockTag } = await start(view)
      const sent = await signer.sendTransaction({ to, value: 1n })
      expect((await provider.getTransaction(sent.hash))!.blockNumber).toBe(null)
      await show()
      const block = (await provider.getBlock(blockTag))!
      expect([block.number, block.transactions]).toEqual([1, [sent.hash]])
      const full = (await provider.getBlock(blockTag, true))!
      expect(full.prefetchedTransactions.map(({ hash, blockHash }) => [hash, blockHash])).toEqual([
        [sent.hash, block.hash],
      ])
      expect((await provider.getBlock(block.hash!))!.toJSON()).toEqual(block.toJSON())
      if (view === 'preconf') await chain.seal()
      expect((await provider.getBlock(1))!.toJSON()).toEqual(block.toJSON())
      expect(await provider.getBlockNumber()).toBe(1)
      expect(await provider.getBlock(9)).toBe(null)
    })

    it('sends legacy, access list and fee market transactions', async () => {
      const { signer, to, show } = await start(view)
      const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(32)}`] }]
      const gasPrice = parseUnits('3', 'gwei')
      const sent = [
        await signer.sendTransaction({ to, nonce: 0, type: 0, gasPrice }),
        await signer.sendTransaction({ to, nonce: 1, type: 1, gasPrice, accessList }),
        await signer.sendTransaction({ to, nonce: 2, type: 2, accessList }),
      ]
      await show()
      const receipts = await Promise.all(sent.map((tx) => tx.wait(0)))
      expect(receipts.map((receipt) => [receipt!.type, receipt!.gasUsed, receipt!.status])).toEqual([
        [0, 21_000n, 1],
        [1, 25_300n, 1],
        [2, 25_300n, 1],
      ])
    })

    it("delegates an account's code by an EIP-7702 authorisation, and acts through it", async () => {
      const { chain, provider, signer, show, blockTag, deploy } = await start(view)
      const delegate = await (await deploy(Delegate)).getAddress()
      const eoa = new Wallet(chain.accounts[3]!.privateKey, provider)
      const to = chain.accounts[4]!.address
      const before = await provider.getBalance(to)
      const authorization = await eoa.authorize({ address: delegate })
      const data = new Interface(Delegate.abi).encodeFunctionData('execute', [to, parseEther('1'), '0x'])
      const sent = await signer.sendTransaction({
        type: 4,
        to: eoa.address,
        data,
        authorizationList: [authorization],
      })
      await show()
      expect(await sent.wait(0)).toMatchObject({ status: 1, type: 4 })
      expect(await provider.getBalance(to, blockTag)).toBe(before + parseEther('1'))
      expect(await provider.getCode(eoa.address, blockTag)).toBe(`0xef0100${delegate.slice(2).toLowerCase()}`)
      expect((await provider.getTransaction(sent.hash))!.authorizationList).toMatchObject([
        { address: delegate, chainId: 31_337n, nonce: 0n },
      ])
    })
  })

  it('reads the pending block on preconf, and fails on standard, where it has no number', async () => {
    const preconf = await start('preconf')
    expect((await preconf.provider.getBlock('pending'))!.number).toBe(1)
    const standard = await start('standard')
    const error = await failure(standard.provider.getBlock('pending'))
    expect(isError(error, 'BAD_DATA')).toBe(true)
  })
})
