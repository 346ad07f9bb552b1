import type { Hex } from 'viem'
import type { PresealRpcError } from '../../../src/base/errors.ts'
import type {
  Clock,
  Hash,
  PreconfBlock,
  PresealChain,
  Provider,
  SealedBlock,
  Timer,
} from '../../../src/index.ts'
import { signTransaction } from '../../signing.ts'

/** The fields of a test's transaction; the defaults are a transfer of 1 wei. */
export interface Plan {
  /** Index of the dev account that signs. */
  readonly from?: number
  readonly to?: Hex | null
  readonly nonce: number
  readonly value?: bigint
  readonly gas?: bigint
  readonly data?: Hex
  readonly tip?: bigint
  readonly cap?: bigint
  readonly chainId?: number
}

/** The default recipient of transfers. */
export const RECIPIENT: Hex = `0x${'c0de'.repeat(10)}`

/** A transaction that leaves a log: the code of a creation, which deploys nothing. */
export const LOGGING = { to: null, gas: 100_000n, data: '0x60ff60006000a100' } as const

/** Signs a transaction of a dev account. */
export function sign(chain: Pick<PresealChain, 'accounts'>, plan: Plan): Promise<Hex> {
  const {
    from = 0,
    to = RECIPIENT,
    nonce,
    value = 1n,
    gas = 21_000n,
    data,
    tip = 1n,
    cap = 10n ** 11n,
    chainId = 31_337,
  } = plan
  return signTransaction(chain.accounts[from]!.privateKey, {
    type: 'eip1559',
    chainId,
    nonce,
    to,
    value,
    gas,
    maxFeePerGas: cap,
    maxPriorityFeePerGas: tip,
    ...(data && { data }),
  })
}

/** Signs and sends. */
export async function send(
  chain: PresealChain,
  plan: Plan,
  provider: Provider = chain.preconf,
): Promise<Hash> {
  return provider.request({ method: 'eth_sendRawTransaction', params: [await sign(chain, plan)] })
}

/** The hashes of the transactions of a preconf block or a sealed block. */
export function hashesOf({ block }: Pick<SealedBlock | PreconfBlock, 'block'>): Hash[] {
  return block.transactions.map(({ hash }) => hash)
}

/** Everything that both views show; errors as their texts. */
export async function dump(chain: PresealChain): Promise<unknown> {
  const views = []
  for (const provider of [chain.standard, chain.preconf]) {
    const ask = (method: string, ...params: unknown[]) =>
      provider
        .request({ method, params })
        .catch((error: PresealRpcError) => `error ${error.code} ${error.message}`)
    const accounts = []
    for (const address of [...chain.accounts.map(({ address }) => address), RECIPIENT]) {
      for (const tag of ['latest', 'pending']) {
        accounts.push(
          await ask('eth_getBalance', address, tag),
          await ask('eth_getTransactionCount', address, tag),
        )
      }
    }
    const blocks = []
    const head = Number(await ask('eth_blockNumber'))
    for (let number = 0; number <= head + 1; number++) {
      const tag = `0x${number.toString(16)}`
      blocks.push(await ask('eth_getBlockByNumber', tag, true), await ask('eth_getBlockReceipts', tag))
    }
    const pending = [
      await ask('eth_getBlockByNumber', 'pending', true),
      await ask('eth_getBlockReceipts', 'pending'),
    ]
    const logs = await ask('eth_getLogs', { fromBlock: 'earliest', toBlock: 'pending' })
    views.push({ head, accounts, blocks, pending, logs, pool: await ask('txpool_content') })
  }
  return views
}

/** A clock whose time a test sets, and whose timers it fires. */
export class TestClock implements Clock {
  time = 1_700_000_000_000
  yields = 0
  /** Called at each read of the time, before the time is returned. */
  onNow: () => void = () => {}
  readonly timers: TestTimer[] = []

  now(): number {
    this.onNow()
    return this.time
  }

  setTimeout(fn: () => void | Promise<void>, ms: number): Timer {
    const timer = new TestTimer(fn, this.time + ms)
    this.timers.push(timer)
    return timer
  }

  clearTimeout(timer: Timer): void {
    const at = this.timers.indexOf(timer as TestTimer)
    if (at >= 0) this.timers.splice(at, 1)
  }

  async yield(): Promise<void> {
    this.yields += 1
  }

  /** Fires the timer that is due first, `late` milliseconds after its time, and awaits it. */
  async fire(late = 0): Promise<void> {
    const timer = this.timers.reduce((first, other) => (other.due < first.due ? other : first))
    this.clearTimeout(timer)
    this.time = Math.max(this.time, timer.due) + late
    await timer.fn()
  }

  /** When the timers are due, in order. */
  get dues(): number[] {
    return this.timers.map(({ due }) => due).sort((a, b) => a - b)
  }
}

class TestTimer implements Timer {
  readonly fn: () => void | Promise<void>
  readonly due: number
  isRef = true

  constructor(fn: () => void | Promise<void>, due: number) {
    this.fn = fn
    this.due = due
  }

  ref(): void {
    this.isRef = true
  }

  unref(): void {
    this.isRef = false
  }
}
