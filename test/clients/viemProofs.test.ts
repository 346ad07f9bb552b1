/** viem's actions for proofs, access lists and filled transactions. */
import { encodeFunctionData, type Hex, keccak256, parseEther, parseGwei, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { Probe } from '../contracts/artifacts.ts'
import { expectProven } from '../proofs.ts'
import { accountOf, deploy, start } from './viemSetup.ts'

const call = (functionName: string, ...args: bigint[]) =>
  encodeFunctionData({ abi: Probe.abi, functionName, args } as never)
const slot = (n: number): Hex => toHex(n, { size: 32 })

describe.each(['standard', 'preconf'] as const)(
  'proofs, access lists and filling through viem, on %s',
  (view) => {
    it('gets proofs that are valid under the state root of the block', async () => {
      const setup = await start(view)
      const { chain, client, wallet, show, blockTag } = setup
      const address = await deploy(setup, Probe)
      const hash = await wallet.sendTransaction({ to: address, data: call('set', 7n, 9n) })
      await show()
      const proof = await client.getProof({ address, storageKeys: [slot(7), slot(8)], blockTag })
      expect(proof).toMatchObject({
        address: address.toLowerCase(),
        balance: 0n,
        nonce: 1,
        codeHash: keccak256((await client.getCode({ address, blockTag }))!),
        storageProof: [
          { key: slot(7), value: 9n },
          { key: slot(8), value: 0n },
        ],
      })
      const { stateRoot } = await client.getBlock({ blockTag })
      const { address: at, accountProof, codeHash, storageHash, storageProof } = proof
      await expectProven(stateRoot, {
        address: at.toLowerCase() as Hex,
        accountProof,
        codeHash,
        storageHash,
        balance: toHex(proof.balance),
        nonce: toHex(proof.nonce),
        storageProof: storageProof.map(({ key, value, proof: nodes }) => ({
          key: key as Hex,
          value: toHex(value),
          proof: nodes,
        })),
      })
      const { blockNumber } = await client.getTransactionReceipt({ hash })
      expect(await client.getProof({ address, storageKeys: [slot(7), slot(8)], blockNumber })).toEqual(proof)
      expect(
        (await client.getProof({ address: chain.accounts[0]!.address, storageKeys: [], blockNumber: 0n }))
          .balance,
      ).toBe(parseEther('10000'))
    })

    it('creates access lists, and sends transactions with them', async () => {
      const setup = await start(view)
      const { client, wallet, account, show, blockTag } = setup
      const address = await deploy(setup, Probe)
      const request = { to: address, data: call('set', 1n, 2n) } as const
      const { accessList, gasUsed } = await client.createAccessList({ account, ...request, blockTag })
      expect(accessList).toEqual([{ address: address.toLowerCase(), storageKeys: [slot(1)] }])
      const hash = await wallet.sendTransaction({ ...request, accessList })
      await show()
      const receipt = await client.getTransactionReceipt({ hash })
      expect([receipt.status, receipt.gasUsed]).toEqual(['success', gasUsed])
    })

    it('fills in transactions with one request', async () => {
      const { chain, client, account, tap } = await start(view)
      const to = chain.accounts[1]!.address
      const { baseFeePerGas } = await client.getBlock({ blockTag: 'pending' })
      const methods = await tap.during(async () => {
        const { transaction } = await client.fillTransaction({ account, to, value: 1n })
        expect(transaction).toMatchObject({
          type: 'eip1559',
          chainId: 31337,
          from: account.address.toLowerCase(),
          to,
          value: 1n,
          data: '0x',
          nonce: 0,
          gas: 21_000n,
          maxPriorityFeePerGas: parseGwei('1'),
          maxFeePerGas: ((2n * baseFeePerGas! + parseGwei('1')) * 12n) / 10n,
        })
        expect(transaction.gasPrice).toBeUndefined()
      })
      expect(methods).toEqual(['eth_fillTransaction'])
    })

    it.each([
      ['eip1559', {}],
      ['eip1559', { type: 'eip1559', maxPriorityFeePerGas: 1n }],
      ['eip2930', { type: 'eip2930', accessList: [] }],
      ['legacy', { type: 'legacy' }],
      ['legacy', { gasPrice: parseGwei('7') }],
    ] as const)('prepares %s transactions with eth_fillTransaction alone: %o', async (type, fields) => {
      const { chain, client, wallet, show, tap } = await start(view)
      const to = chain.accounts[1]!.address
      let hash: Hex | undefined
      const methods = await tap.during(async () => {
        hash = await wallet.sendTransaction({ to, value: 1n, ...fields } as never)
      })
      expect(methods).toEqual(['eth_fillTransaction', 'eth_sendRawTransaction'])
      await show()
      expect(await client.getTransactionReceipt({ hash: hash! })).toMatchObject({ status: 'success', type })
      if ('gasPrice' in fields) {
        expect((await client.getTransaction({ hash: hash! })).gasPrice).toBe(fields.gasPrice)
      }
    })

    it('prepares transactions that set code with eth_fillTransaction alone', async () => {
      const setup = await start(view)
      const { chain, client, wallet, show, tap } = setup
      const address = await deploy(setup, Probe)
      const other = accountOf(chain, 1)
      const authorization = await wallet.signAuthorization({
        account: other,
        contractAddress: address,
        nonce: 0,
        chainId: 31337,
      })
      const methods = await tap.during(async () => {
        await wallet.sendTransaction({
          to: other.address,
          data: call('set', 1n, 2n),
          authorizationList: [authorization],
        })
      })
      expect(methods).toEqual(['eth_fillTransaction', 'eth_sendRawTransaction'])
      await show()
      expect(
        await client.getCode({ address: other.address, blockTag: view === 'preconf' ? 'pending' : 'latest' }),
      ).toBe(`0xef0100${address.slice(2).toLowerCase()}`)
    })

    it('gives consecutive transactions consecutive nonces before any is included', async () => {
      const { chain, client, wallet, account, show, blockTag } = await start(view)
      const to = chain.accounts[1]!.address
      for (let i = 0; i < 3; i++) await wallet.sendTransaction({ to, value: 1n })
      await show()
      expect(await client.getTransactionCount({ address: account.address, blockTag })).toBe(3)
    })
  },
)
