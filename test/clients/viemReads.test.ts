import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { Token } from '../contracts/artifacts.ts'
import { deploy, start } from './viemSetup.ts'

describe.each(['standard', 'preconf'] as const)(
  'logs, filters, fees and blocks through viem, on %s',
  (view) => {
    it('finds logs by range, by block hash, by event and by argument', async () => {
      const setup = await start(view)
      const { chain, client, wallet, account, show, blockTag, ensureSealed } = setup
      const address = await deploy(setup, Token)
      await ensureSealed()
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
      const { chain, client, wallet, blockTag, ensureSealed } = setup
      const address = await deploy(setup, Token)
      await ensureSealed()
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
      const preconfBlock = await chain.tick()
      const seen = await client.getFilterChanges({ filter: events })
      expect(seen.length).toBe(view === 'preconf' ? 1 : 0)
      const { block } = await chain.seal()
      expect(block.hash).toBe(preconfBlock.block.hash)
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

    it('estimates fees that suffice for the next block', async () => {
      const { chain, client, wallet, show, ensureSealed } = await start(view)
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
      await ensureSealed()
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
      const { chain, client, wallet, show, blockTag, ensureSealed } = await start(view)
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
      await ensureSealed()
      expect(await client.getBlock({ blockNumber: 1n })).toEqual(block)
      expect(await client.getBlockNumber()).toBe(1n)
      await expect(client.getBlock({ blockNumber: 9n })).rejects.toThrow(/could not be found/)

      const pending = await client.getBlock({ blockTag: 'pending' })
      expect([pending.number, pending.transactions]).toEqual([view === 'preconf' ? 2n : null, []])
    })
  },
)
