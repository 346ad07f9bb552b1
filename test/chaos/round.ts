/**
 * A round of chaos: random steps on one chain, with failures, and the same steps on a twin that never fails.
 *
 * After each step the chain is compared with what it announced; at the end with the twin, with the oracle, and with
 * itself before the first client joined.
 */

import { PresealRpcError } from '../../src/base/errors.ts'
import type { ChainParts, Core } from '../../src/core/open/core.ts'
import type { ChainOptions, ManualClock, PresealChain, Provider } from '../../src/index.ts'
import { createManualClock, systemClock } from '../../src/index.ts'
import { storedOf } from '../core/ledger/storedOf.ts'
import { dump } from '../core/sequencer/support.ts'
import { type TestChain, watchChain } from '../harness.ts'
import { CONTRACT, perform, type StartOther } from '../operations.ts'
import type { OracleOptions } from '../oracle.ts'
import { canWait } from '../rpc/randomRequests.ts'
import { answerOf, Client, type Connect } from './clients.ts'
import { Failures, isInjected, type Place } from './failures.ts'
import { BrokenLawError, expectEqual, Model, toText } from './model.ts'
import type { UnreliableNode } from './node.ts'
import {
  type Action,
  CAN_FAIL,
  type Failure,
  isBeginning,
  type Link,
  nested,
  type Step,
  type ViewName,
} from './steps.ts'

/** Where the blocks of a round are kept, and where its state comes from. */
export interface Medium {
  readonly name: string
  /** The parts that can fail besides those that every chain has. */
  readonly places: readonly Place[]
  /** Whether the chain continues another one. */
  readonly isFork?: boolean
  /** Opens a new one. @param options - those of the configuration. */
  open(options: ChainOptions, failures: Failures): Promise<OpenMedium>
}

/** A medium in use. */
export interface OpenMedium {
  /** The options of the chain. */
  readonly options: ChainOptions
  /** The options of chains that never fail: the twin, and the copies that build blocks to import. */
  readonly plain: ChainOptions
  /** Parts of the chain that can fail besides those that every chain has. */
  readonly parts?: ChainParts
  /** Undefined for a chain that keeps its blocks in memory. */
  readonly database?: object
  /** The node of the chain that both fork; stock @ethereumjs, which has none of its state, does not execute their blocks. */
  readonly node?: UnreliableNode
  /** Checks what the chain leaves behind once it is closed. */
  check?(): Promise<void>
  close(): Promise<void>
}

/** The circumstances of a round. */
export interface Circumstances {
  readonly options: ChainOptions
  readonly medium: Medium
  readonly links: Readonly<Partial<Record<Link, Connect>>>
  /** The contracts, blocks and transactions that random requests name, which are replaced by those of the round. */
  readonly named: Named
  /** Whether stock @ethereumjs executes the blocks again. */
  readonly isChecked: boolean
}

/** Hashes and addresses in random requests. */
export interface Named {
  readonly blocks: readonly string[]
  readonly transactions: readonly string[]
  readonly contracts: readonly string[]
}

/** What a round did. */
export interface Counts {
  operations: number
  /** Failures that happened. */
  failures: number
  /** Steps that were repeated after a failure. */
  repeated: number
  /** Whether the twin was compared at the end. */
  compared: number
}

/** Turns of the event loop after which a step hangs. */
const TURNS = 3_000_000
/** The turns in which a wait for a receipt begins. */
const TURNS_OF_WAITS = 1000
const ORACLE: OracleOptions = { skipHeaderValidation: true }
/** Methods whose answers differ between chains. */
const OWN_ANSWERS = /_(metadata|clientVersion)$/

/** Performs the steps. @throws BrokenLawError if the chain is at fault. */
export async function runRound(steps: readonly Step[], circumstances: Circumstances): Promise<Counts> {
  const round = await Round.start(circumstances, steps[0]?.failure)
  try {
    for (const [index, step] of steps.entries()) {
      await round.within(`step ${index}: ${step.action.kind}`, round.step(step))
    }
    await round.within('the end of the round', round.end())
    return round.counts
  } finally {
    await round.close()
  }
}

/** One of the two chains. */
interface Side {
  readonly chain: TestChain
  /** Providers of random requests. */
  readonly desks: Readonly<Record<ViewName, Provider>>
  readonly core: Core
  /** What the chain held at first. */
  readonly sizes: Sizes
  /** Codes of all errors that were answered since the last step began. */
  readonly codes: string[]
  finish(): Promise<void>
}

class Round {
  readonly counts: Counts = { operations: 0, failures: 0, repeated: 0, compared: 0 }
  readonly #circumstances: Circumstances
  readonly #medium: OpenMedium
  readonly #failures: Failures
  readonly #side: Side
  readonly #model: Model
  /** Undefined once a failure has left the chain in a state that the twin cannot be in. */
  #twin: Side | undefined
  readonly #twinSide: Side
  readonly #clients: Client[] = []
  readonly #before: Sizes
  /** What the first block of the chain takes; undefined if it is not known. */
  #firstWorld: object | undefined
  readonly #startOther: StartOther

  private constructor(
    circumstances: Circumstances,
    [medium, failures]: readonly [OpenMedium, Failures],
    [side, twin]: readonly [Side, Side],
    model: Model,
    others: (() => Promise<void>)[],
  ) {
    this.#circumstances = circumstances
    this.#medium = medium
    this.#failures = failures
    this.#side = side
    this.#twin = twin
    this.#twinSide = twin
    this.#model = model
    this.#before = side.sizes
    this.#firstWorld = side.sizes.world
    this.#others = others
    this.#startOther = async (options, parts, oracle) => {
      const { chain } = await watchChain({ clock: createManualClock(), ...options }, parts, oracle)
      this.#others.push(() => chain.close())
      return chain as TestChain
    }
  }
  readonly #others: (() => Promise<void>)[]

  /** @param failure - of the forked node, which can fail at the start too. */
  static async start(circumstances: Circumstances, failure: Failure | undefined): Promise<Round> {
    const { options, medium } = circumstances
    const failures = new Failures()
    const opened = await medium.open(options, failures)
    const start = () => {
      const parts = { ...failures.parts(), ...opened.parts }
      return startSide({ ...opened.options, clock: failures.clock() }, parts)
    }
    if (failure?.place === 'node') await failToStart(start, failures, opened, failure)
    const side = await start()
    const twin = await startSide({ ...opened.plain, clock: new Failures().clock() }, {})
    side.chain.on('preconf', () => failures.of('listener').pass())
    side.chain.on('block', () => failures.of('listener').pass())
    const model = await Model.create(side.chain)
    return new Round(circumstances, [opened, failures], [side, twin], model, [])
  }

  /** Rejects if the work has not ended after many turns of the event loop. */
  async within(what: string, work: Promise<void>): Promise<void> {
    let isDone = false
    const ended = work.finally(() => {
      isDone = true
    })
    ended.catch(() => {})
    for (let turn = 0; !isDone && turn < TURNS; turn++) await systemClock.yield()
    if (!isDone) throw new BrokenLawError(`a hang: ${what}`)
    await ended
  }

  async step(step: Step): Promise<void> {
    const side = this.#side
    const { action, meanwhile, failure } = this.#localise(step) as Step
    this.counts.operations += (action.kind === 'together' ? action.operations.length : 1) + meanwhile.length
    if (failure !== undefined && this.#failures.pending === undefined) this.#failures.arm(failure)
    const canFail = CAN_FAIL.has(action.kind) && this.#failures.pending !== undefined
    const before = canFail ? await dump(side.chain) : undefined
    this.#model.take()
    side.codes.length = 0
    if (canFail) this.#failures.resume()
    const reads = meanwhile.map((request) => answerOf(side.desks.preconf, request))
    const answer = await this.#act(side, action)
    const others = (await Promise.all(reads)).flatMap((one) => ('code' in one ? [textOf(one)] : []))
    await this.#medium.node?.recover()
    const happened = this.#failures.pause()
    // A chain writes nothing more after a write that failed.
    if (happened?.place === 'database') await side.chain.reopenDatabase()
    const events = this.#model.take()
    await this.#noticeBeginning(action, answer)
    const internal = side.codes.filter((code) => code.startsWith('-32603'))
    // A node that fails is no defect of this chain.
    if (happened === undefined || happened.place === 'node') {
      const all = [...internal, ...others.filter((code) => code.startsWith('-32603'))]
      expectEqual('no internal errors', all, [])
    }
    const errors = this.#model.errors.splice(0)
    expectEqual(
      'no errors but those of failing parts',
      errors.filter((message) => happened === undefined || !isInjected(happened.place, message)),
      [],
    )
    if (happened === undefined) {
      if (events > 0) await this.#model.check()
      await this.#compare(action, answer)
      return
    }
    this.counts.failures += 1
    // A preconf block's hash is computed for its listeners; if that fails, they get the error (core/DECISIONS.md 69).
    // A transaction whose state cannot be loaded waits, and the error says why (spec.md 72).
    const isLost = !['listener', 'node'].includes(happened.place) && errors.length > 0
    if (isLost) await this.#model.restart()
    else await this.#model.check()
    const hasFailed = isFailure(answer)
    const isLate = happened.place === 'node' && errors.length > 0
    if (isLost || isLate || (internal.length > 0 && !hasFailed) || (hasFailed && events > 0)) {
      this.#twin = undefined
      return
    }
    if (!hasFailed) return this.#compare(action, answer)
    expectEqual('what fails without an event changes nothing', await dump(side.chain), before)
    // The twin has done nothing either.
    if (!happened.isRepeated) return
    this.counts.repeated += 1
    const again = await this.#act(side, action)
    await this.#noticeBeginning(action, again)
    this.#model.errors.length = 0
    await this.#compare(action, again)
  }

  /** Follows a fork that has begun on another block. */
  async #noticeBeginning(action: Action, answer: string): Promise<void> {
    if (this.#medium.node === undefined || !isBeginning(action) || isFailure(answer)) return
    // Others of the same time may have changed the chain since.
    this.#firstWorld = action.kind === 'together' ? undefined : sizesOf(this.#side.core).world
    await this.#model.beginAgain()
  }

  /** The twin does the same, with the same answer. */
  async #compare(action: Action, answer: string): Promise<void> {
    if (this.#twin === undefined || ['join', 'use', 'leave'].includes(action.kind)) return
    const twins = await this.#act(this.#twin, action)
    if (
      action.kind === 'request' &&
      OWN_ANSWERS.test(String((action.request as { method?: unknown } | null)?.method))
    )
      return
    expectEqual('the twin gives the same answer', answer, twins)
  }

  async end(): Promise<void> {
    const { chain } = this.#side
    for (const client of this.#clients.splice(0)) await client.leave()
    await this.#model.check()
    if (this.#twin !== undefined) {
      expectEqual(
        'the chain equals a twin that never failed',
        await dump(chain),
        await dump(this.#twin.chain),
      )
      this.counts.compared += 1
    }
    for (const desk of Object.values(this.#side.desks)) desk.close()
    // Printing listens too, and may have been turned on.
    await answerOf(chain.standard, { method: 'anvil_setLoggingEnabled', params: [false] })
    expectEqual(
      'clients that left leave no listeners',
      sizesOf(this.#side.core).listeners,
      this.#before.listeners,
    )
    await chain.tick()
    await chain.seal()
    await this.#model.check()
    const { database } = this.#medium
    if (database !== undefined && this.counts.operations % 2 === 0) await this.#restart(database)
    else {
      // To the first block, which of a fork is the forked one.
      const reset = await answerOf(chain.standard, { method: 'anvil_reset', params: [{ forking: {} }] })
      const world = this.#firstWorld
      const sizes = sizesOf(this.#side.core)
      const seen = { ...sizes, world: world && sizes.world }
      if ('result' in reset) expectEqual('a reset releases all state', seen, { ...this.#before, world })
    }
    await chain.close()
    await this.#medium.check?.()
    if (this.#circumstances.isChecked && this.#medium.node === undefined) await this.#side.finish()
  }

  /** Another chain finds in the database what this one holds. */
  async #restart(database: object): Promise<void> {
    const { chain } = this.#side
    const held = await storedOf(chain)
    await chain.close()
    const { options } = this.#circumstances
    const clock = createManualClock(this.#twinSide.chain.clock.now())
    const again = await watchChain({ mining: 'manual', ...options, clock, database: database as never })
    try {
      expectEqual('a restart finds what the chain held', await storedOf(again.chain), held)
    } finally {
      await again.chain.close()
    }
  }

  async close(): Promise<void> {
    this.#failures.pause()
    await Promise.all([this.#side.chain.close(), this.#twinSide.chain.close()])
    for (const close of this.#others.splice(0)) await close()
    await this.#medium.close()
  }

  /** @returns the answer as text. */
  async #act(side: Side, action: Action): Promise<string> {
    const { chain } = side
    switch (action.kind) {
      case 'operation': {
        const { plain } = this.#medium
        const work = perform(chain, action.operation, plain, this.#startOther)
        const answer = await work.then(toText, ({ message }: Error) => `failed: ${message}`)
        for (const close of this.#others.splice(0)) await close()
        return answer
      }
      case 'together': {
        const { plain } = this.#medium
        const works = action.operations.map((one) => perform(chain, one, plain, this.#startOther))
        await Promise.allSettled(works)
        for (const close of this.#others.splice(0)) await close()
        // Their order may differ on the twin.
        this.#twin = undefined
        return 'together'
      }
      case 'request':
        return this.#request(side, action.view, action.request)
      case 'deep':
        return this.#request(side, 'preconf', { method: action.method, params: [nested(action), 'latest'] })
      case 'jump':
        return chain.clock.advance(action.ms).then(toText, ({ message }: Error) => `failed: ${message}`)
      case 'join': {
        const connect = this.#circumstances.links[action.link]
        if (connect !== undefined)
          this.#clients.push(await Client.join(connect, chain, action.view, this.#model))
        return 'joined'
      }
      case 'use': {
        const client = this.#clients[action.client % this.#clients.length]
        if (client === undefined) return 'nobody'
        const answer = await client.use(action.method, action.params)
        if ('code' in answer) side.codes.push(textOf(answer))
        return 'code' in answer ? `failed: ${textOf(answer)}` : 'used'
      }
      case 'leave': {
        const [client] = this.#clients.splice(action.client % Math.max(1, this.#clients.length), 1)
        await client?.leave()
        return 'left'
      }
    }
  }

  async #request(side: Side, view: ViewName, request: unknown): Promise<string> {
    const asked = answerOf(side.desks[view], request)
    let isAnswered = !canWait(request)
    const answered = () => {
      isAnswered = true
    }
    asked.then(answered, answered)
    // A wait can begin many turns later: a source or a node is slow.
    for (let turn = 0; !isAnswered && turn < TURNS_OF_WAITS; turn++) {
      await systemClock.yield()
      await side.chain.clock.advance(0)
    }
    const answer = await asked
    if ('code' in answer) side.codes.push(textOf(answer))
    return 'code' in answer ? `failed: ${textOf(answer)}` : toText(answer.result)
  }

  /** A value with the hashes and addresses of this round. */
  #localise(value: unknown): unknown {
    const { blocks, transactions } = this.#model.known
    const { named } = this.#circumstances
    const replace = (value: unknown): unknown => {
      if (typeof value === 'string') {
        const [block, transaction] = [named.blocks.indexOf(value), named.transactions.indexOf(value)]
        if (block >= 0) return blocks[block % blocks.length] ?? value
        if (transaction >= 0) return transactions[transaction % transactions.length] ?? value
        return named.contracts.includes(value) ? CONTRACT : value
      }
      if (Array.isArray(value)) return value.map(replace)
      if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
        return value
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one)]))
    }
    return replace(value)
  }
}

function textOf({ code, message }: { readonly code: number; readonly message: string }): string {
  return `${code} ${message}`
}

function isFailure(answer: string): boolean {
  return answer.startsWith('failed: ') || answer.startsWith('"error ')
}

/** A start whose node fails either fails with its error, or not at all. Nothing is left of it. */
async function failToStart(
  start: () => Promise<Side>,
  failures: Failures,
  { node }: OpenMedium,
  failure: Failure,
): Promise<void> {
  failures.arm(failure)
  failures.resume()
  const started = await start().catch((error: Error) => error)
  await node?.recover()
  failures.pause()
  failures.forget()
  if (!(started instanceof Error)) await started.chain.close()
  else if (!isInjected('node', started.message)) throw started
  expectEqual('a fork that did not start has no timers', node?.clock.timers.length ?? 0, 0)
}

async function startSide(options: ChainOptions, parts: Parameters<typeof watchChain>[1]): Promise<Side> {
  let core: Core | undefined
  const inspect = (opened: Core) => {
    core = opened
  }
  const resolved: ChainOptions = { mining: 'manual', ...options }
  const { chain, finish } = await watchChain(resolved, { ...parts, inspect }, ORACLE)
  const codes: string[] = []
  const heard = hearing(chain as PresealChain<ManualClock>, codes)
  // Before the first provider besides the chain's own.
  const sizes = sizesOf(core!)
  const desks = { standard: chain.provider('standard'), preconf: chain.provider('preconf') }
  return { chain: Object.assign(heard, { finish }), desks, core: core!, sizes, codes, finish }
}

/** The chain, with the codes of the errors that its views answer. */
function hearing(chain: PresealChain<ManualClock>, codes: string[]): PresealChain<ManualClock> {
  const hear = (provider: Provider): Provider =>
    new Proxy(provider, {
      get(target, name) {
        if (name !== 'request') return Reflect.get(target, name)
        return (request: { readonly method: string }) =>
          target.request(request).catch((error: unknown) => {
            if (error instanceof PresealRpcError)
              codes.push(`${error.code} ${error.message} ${toText(request)}`)
            throw error
          })
      },
    })
  const views = { standard: hear(chain.standard), preconf: hear(chain.preconf) }
  return new Proxy(chain, {
    get: (target, name) => (name in views ? views[name as 'standard'] : Reflect.get(target, name)),
    set: (target, name, value) => Reflect.set(target, name, value),
  })
}

/** What a chain holds in memory, and how many listeners its parts have. */
interface Sizes {
  readonly listeners: object
  readonly world: object
  readonly waiting: number
}

function sizesOf({ sequencer, transactions, mempool }: Core): Sizes {
  return {
    listeners: { events: sequencer.events.count(), transactions: transactions.count() },
    world: sequencer.tip.base.world.size(),
    waiting: mempool.size,
  }
}
