import {
  createClient,
  createPublicClient,
  createWalletClient,
  type FormattedBlock,
  type FormattedTransactionReceipt,
  fallback,
  type Hash,
  http,
  type Log,
  parseAbi,
  parseAbiItem,
  publicActions,
  type TransactionReceipt,
  type Chain as ViemChain,
  webSocket,
  zeroAddress,
} from 'viem'
import { base, foundry } from 'viem/chains'
import { describe, expectTypeOf, test } from 'vitest'
import type { DropReason, PresealChain, TransactionStatus } from '../../src/index.ts'
import {
  chainTransport,
  type PreconfTransaction,
  type PresealViemChain,
  preconfActions,
  preseal,
  sendTransactionSync,
  type TransactionProgress,
  toViemChain,
  waitForPreconfirmation,
  waitForSeal,
  writeContractSync,
} from '../../src/kits/viem/index.ts'

declare const chain: PresealChain
declare const hash: Hash
const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) }).extend(
  preconfActions(),
)
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

describe('types of preseal/viem', () => {
  test('a transport is created from a chain or a provider, and accepted by every client', () => {
    expectTypeOf(client.getBlockNumber()).resolves.toEqualTypeOf<bigint>()
    expectTypeOf(client.transport.type).toEqualTypeOf<'webSocket'>()
    createClient({ chain: foundry, transport: fallback([chainTransport(chain), http()]) }).extend(
      publicActions,
    )
    chainTransport(chain, { view: 'standard' })
    chainTransport(chain.preconf, { clock: chain.clock })
    // @ts-expect-error there is no such view
    chainTransport(chain, { view: 'pending' })
    // @ts-expect-error a provider has a view already
    chainTransport(chain.preconf, { view: 'standard' })
  })

  test("viem's watchers accept that the transport pushes", () => {
    client.watchBlocks({ poll: false, onBlock: ({ number }) => expectTypeOf(number).toEqualTypeOf<bigint>() })
    client.watchEvent({ poll: false, onLogs: () => {} })
  })

  test('the chain definition is one of viem', () => {
    expectTypeOf(preseal.id).toEqualTypeOf<31337>()
    expectTypeOf(preseal.experimental_preconfirmationTime).toEqualTypeOf<200>()
    expectTypeOf(toViemChain(chain)).toEqualTypeOf<PresealViemChain>()
    expectTypeOf<typeof preseal>().toExtend<PresealViemChain>()
    expectTypeOf<PresealViemChain>().toExtend<ViemChain>()
  })

  test("receipts are viem's, by the formatters of the chain", () => {
    expectTypeOf(client.waitForPreconfirmation({ hash })).resolves.toEqualTypeOf<TransactionReceipt>()
    const onBase = createPublicClient({ chain: base, transport: webSocket() }).extend(preconfActions())
    expectTypeOf(onBase.waitForPreconfirmation({ hash })).resolves.toEqualTypeOf<
      FormattedTransactionReceipt<typeof base>
    >()
    expectTypeOf(waitForPreconfirmation(onBase, { hash, timeout: 1 })).resolves.toHaveProperty('l1Fee')
    expectTypeOf(
      client.sendRawTransactionSync({ serializedTransaction: hash }),
    ).resolves.toEqualTypeOf<TransactionReceipt>()
    // @ts-expect-error there must be a hash
    client.waitForPreconfirmation({})
  })

  test("blocks, transactions and logs are viem's", () => {
    client.watchPreconfBlocks({
      onPreconfBlock({ block, index, receipts }) {
        expectTypeOf(block).toEqualTypeOf<FormattedBlock<typeof preseal, true, 'latest'>>()
        expectTypeOf(block.number).toEqualTypeOf<bigint>()
        expectTypeOf(index).toEqualTypeOf<number | undefined>()
        expectTypeOf(receipts).toEqualTypeOf<readonly TransactionReceipt[] | undefined>()
      },
    })
    client.watchPreconfTransactions({
      onTransactions: (hashes) => expectTypeOf(hashes).toEqualTypeOf<Hash[]>(),
    })
    client.watchPreconfTransactions({
      includeTransactions: true,
      onTransactions: (found) => expectTypeOf(found).toEqualTypeOf<PreconfTransaction<typeof preseal>[]>(),
    })
    client.watchPendingLogs({
      event: transfer,
      onLogs: (logs) => expectTypeOf(logs[0]!.args.value).toEqualTypeOf<bigint | undefined>(),
    })
    client.watchPendingLogs({
      event: transfer,
      strict: true,
      onLogs: (logs) => expectTypeOf(logs[0]!.args.value).toEqualTypeOf<bigint>(),
    })
    client.watchPendingLogs({ onLogs: (logs) => expectTypeOf(logs).toExtend<Log[]>() })
    // @ts-expect-error logs are never polled
    client.watchPendingLogs({ poll: true, onLogs: () => {} })
  })

  test('a status is typed', () => {
    expectTypeOf(client.getTransactionStatus({ hash })).resolves.toEqualTypeOf<TransactionStatus>()
    const unwatch = client.watchTransactionStatus({
      hash,
      onStatus({ stage, reason, message }, previous) {
        expectTypeOf(stage).toEqualTypeOf<TransactionStatus['stage']>()
        expectTypeOf(reason).toEqualTypeOf<DropReason | undefined>()
        expectTypeOf(message).toEqualTypeOf<string | undefined>()
        expectTypeOf(previous).toEqualTypeOf<TransactionProgress | undefined>()
      },
    })
    expectTypeOf(unwatch).toEqualTypeOf<() => void>()
    // @ts-expect-error there must be a callback
    client.watchTransactionStatus({ hash })
  })

  test("a sealed receipt is viem's, by the formatters of the chain", () => {
    expectTypeOf(client.waitForSeal({ hash, timeout: 0 })).resolves.toEqualTypeOf<TransactionReceipt>()
    const onBase = createPublicClient({ chain: base, transport: webSocket() })
    expectTypeOf(waitForSeal(onBase, { hash })).resolves.toEqualTypeOf<
      FormattedTransactionReceipt<typeof base>
    >()
    // @ts-expect-error there must be a hash
    client.waitForSeal({})
  })

  test("sync sends have viem's types, with or without an account of the client", () => {
    const to = zeroAddress
    const abi = parseAbi(['function transfer(address to, uint256 amount)'])
    const transfer = { abi, address: to, functionName: 'transfer', args: [to, 1n] } as const
    const wallet = createWalletClient({ account: to, chain: preseal, transport: chainTransport(chain) })
    const own = wallet.extend(preconfActions())
    expectTypeOf(own.sendTransactionSync).toEqualTypeOf(wallet.sendTransactionSync)
    expectTypeOf(own.writeContractSync).toEqualTypeOf(wallet.writeContractSync)
    expectTypeOf(own.sendTransactionSync({ to, value: 1n })).resolves.toEqualTypeOf<TransactionReceipt>()
    expectTypeOf(sendTransactionSync(wallet, { to })).resolves.toEqualTypeOf<TransactionReceipt>()
    expectTypeOf(writeContractSync(wallet, transfer)).resolves.toEqualTypeOf<TransactionReceipt>()
    expectTypeOf(client.sendTransactionSync({ account: to, to })).resolves.toEqualTypeOf<TransactionReceipt>()
    // @ts-expect-error there is no account
    client.sendTransactionSync({ to })
    // @ts-expect-error the function takes an amount
    own.writeContractSync({ ...transfer, args: [to] })
  })
})
