/** The end of a chain at each microtask of the methods of a PresealProvider: no uncaught rejection, no endless wait. */
import {
  ContractFactory,
  ContractTransactionResponse,
  Interface,
  type TransactionResponse,
  Wallet,
} from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createChain,
  createManualClock,
  type Hex,
  type PresealChain,
  systemClock,
  type ViewKind,
} from '../../../src/index.ts'
import { PresealProvider } from '../../../src/kits/ethers/index.ts'
import { Token } from '../../contracts/artifacts.ts'
import { FULL } from '../../full.ts'
import { collectUncaught } from '../../tools/uncaught.ts'

/** The most microtasks before the chain ends: by then each act has ended, or waits for blocks. */
const TURNS = 100

/** The objects that one act uses: its own provider, without listeners. */
interface Scene {
  readonly chain: PresealChain
  readonly provider: PresealProvider
  /** In the sealed block. */
  readonly sealed: TransactionResponse
  /** In no block. */
  readonly waiting: TransactionResponse
  /** Added before the act begins, if the act removes listeners. */
  readonly listener: () => void
}

const FILTER = { topics: [] }

/** The calls to a provider while its chain ends. */
const ACTS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "on('block')": ({ provider }) => provider.on('block', () => {}),
  "once('block')": ({ provider }) => provider.once('block', () => {}),
  "on('pending')": ({ provider }) => provider.on('pending', () => {}),
  "on('finalized')": ({ provider }) => provider.on('finalized', () => {}),
  'on(filter)': ({ provider }) => provider.on({ topics: [null] }, () => {}),
  'on(hash)': ({ provider, waiting }) => provider.on(waiting.hash, () => {}),
  'on(hash) with a listener that reads the receipt': ({ provider, sealed }) =>
    provider.on(sealed.hash, async (receipt) => receipt.status),
  "off('block')": ({ provider, listener }) => provider.off('block', listener),
  "off('safe')": ({ provider, listener }) => provider.off('safe', listener),
  'off(filter)': ({ provider, listener }) => provider.off(FILTER, listener),
  'off(hash)': ({ provider, sealed, listener }) => provider.off(sealed.hash, listener),
  'removeAllListeners()': ({ provider }) => provider.removeAllListeners(),
  'wait(3)': ({ sealed }) => sealed.wait(3),
  'wait(3) of a transaction that is in no block': ({ waiting }) => waiting.wait(3),
  'wait(3, 60_000)': ({ sealed }) => sealed.wait(3, 60_000),
  'wait(3) of a contract': ({ provider, sealed }) =>
    new ContractTransactionResponse(new Interface(Token.abi), provider, sealed).wait(3),
  'waitForTransaction(hash, 3)': ({ provider, sealed }) => provider.waitForTransaction(sealed.hash, 3),
  'waitForTransaction(hash, 3) of a transaction that is in no block': ({ provider, waiting }) =>
    provider.waitForTransaction(waiting.hash, 3),
  'waitForTransaction(hash, 3, 60_000)': ({ provider, sealed }) =>
    provider.waitForTransaction(sealed.hash, 3, 60_000),
}

const ENDS: Readonly<Record<string, (chain: PresealChain, providers: readonly PresealProvider[]) => void>> = {
  'chain.close()': (chain) => void chain.close(),
  'provider.destroy()': (_chain, providers) => {
    for (const provider of providers) provider.destroy()
  },
  'chain.close() during a seal': (chain) => {
    chain.seal().catch(() => {})
    void chain.close()
  },
}

/** The signed transactions of every chain; the last one is in no block. */
let raws: readonly string[]

describe('closing an ethers provider', () => {
  beforeAll(async () => {
    const wallet = new Wallet('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
    const creation = await new ContractFactory(Token.abi, Token.bytecode).getDeployTransaction()
    const fields = { chainId: 31_337, type: 2, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    raws = await Promise.all([
      wallet.signTransaction({ ...fields, ...creation, nonce: 0, gasLimit: 2_000_000n }),
      wallet.signTransaction({ ...fields, to: wallet.address, nonce: 1, gasLimit: 21_000n }),
    ])
  })

  /** Starts a chain, and prepares each act. */
  async function prepare(view: ViewKind) {
    const chain = await createChain({ mining: 'manual', clock: createManualClock() })
    const send = async (raw: string) =>
      (await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })) as Hex
    const hashes = [await send(raws[0]!)]
    await chain.seal()
    hashes.push(await send(raws[1]!))
    const acts = await Promise.all(
      Object.entries(ACTS).map(async ([name, act]) => {
        const provider = new PresealProvider(chain, { view })
        const listener = () => {}
        const [sealed, waiting] = (await Promise.all(
          hashes.map(async (hash) => (await provider.getTransaction(hash))!.replaceableTransaction(0)),
        )) as [TransactionResponse, TransactionResponse]
        if (/^(off|remove)/.test(name)) {
          for (const event of ['block', 'safe', FILTER, sealed.hash]) await provider.on(event, listener)
        }
        return { name, provider, begin: () => act({ chain, provider, sealed, waiting, listener }) }
      }),
    )
    await drain()
    return { chain, acts }
  }

  /** Waits until pending callbacks have run, and uncaught rejections have been reported. */
  async function drain(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await systemClock.yield()
  }

  /** Begins all acts. @returns the outcome of each: done, an error's code, or undefined while it waits. */
  function begin({ acts }: Awaited<ReturnType<typeof prepare>>): Record<string, string | undefined> {
    const outcomes: Record<string, string | undefined> = Object.fromEntries(
      acts.map(({ name }) => [name, undefined]),
    )
    for (const act of acts) {
      act.begin().then(
        () => {
          outcomes[act.name] = 'done'
        },
        (error: { readonly code?: string }) => {
          outcomes[act.name] = error.code ?? String(error)
        },
      )
    }
    return outcomes
  }

  const ALLOWED: readonly (string | undefined)[] = ['done', 'UNSUPPORTED_OPERATION']

  describe.each(['standard', 'preconf'] as const)('PresealProvider on %s', (view) => {
    it.each(Object.entries(ENDS))(
      'leaves no uncaught rejection and no wait at any microtask before %s',
      async (_name, end) => {
        const uncaught = collectUncaught()
        const wrong: unknown[] = []
        for (let turns = 0; turns < TURNS; turns += FULL ? 1 : 10) {
          const prepared = await prepare(view)
          const { chain, acts } = prepared
          const outcomes = begin(prepared)
          for (let turn = 0; turn < turns; turn++) await undefined
          end(
            chain,
            acts.map(({ provider }) => provider),
          )
          await drain()
          for (const [act, outcome] of Object.entries(outcomes)) {
            if (!ALLOWED.includes(outcome)) wrong.push({ act, turns, outcome })
          }
          await chain.close()
        }
        expect({ uncaught, wrong }).toEqual({ uncaught: [], wrong: [] })
      },
    )

    it('leaves no uncaught rejection and no wait of calls after the end', async () => {
      const uncaught = collectUncaught()
      const prepared = await prepare(view)
      await prepared.chain.close()
      const outcomes = begin(prepared)
      await drain()
      expect({
        uncaught,
        wrong: Object.entries(outcomes).filter(([, outcome]) => !ALLOWED.includes(outcome)),
      }).toEqual({
        uncaught: [],
        wrong: [],
      })
    })
  })
})
