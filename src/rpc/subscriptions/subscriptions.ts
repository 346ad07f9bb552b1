/**
 * Subscriptions of one connection.
 *
 * Owns: the active subscriptions and their event listeners. Until a subscription ends, a running timer keeps the
 * process alive.
 */

import { quantity } from '../../base/bytes.ts'
import { InvalidParamsError, SchemaError } from '../../base/errors.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import { exact, object, optional, refine, type Schema, scalar } from '../../base/schema.ts'
import type { Hash, Hex, MaybePromise } from '../../base/types.ts'
import type { Payload } from '../../core/block/payload.ts'
import { Ids } from '../../core/ledger/ids.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import type { TipEvents } from '../../core/sequencer/publisher.ts'
import type { TipRetraction } from '../../core/sequencer/tip.ts'
import type { View } from '../../core/view/view.ts'
import type { DialectRules } from '../dialect.ts'
import { SubscriptionKindError } from '../errors.ts'
import { LOG_QUERY, type LogFilter, subscribedLogs } from '../params/block.ts'
import { boolean, parseParam } from '../params/params.ts'
import type { ReadServices } from '../services.ts'
import { Emission, type TransactionStage } from './feed.ts'
import type { ResumedSubscription } from './notifications.ts'

type Notify = (subscription: Hex, emission: Emission) => void

/** Starts and ends the subscriptions of one connection, and passes their messages to `notify`. */
export class Subscriptions {
  readonly #view: View
  readonly #dialect: DialectRules
  readonly #read: ReadServices
  readonly #notify: Notify
  readonly #active = new Map<Hex, () => void>()
  readonly #ids: Ids
  #isClosed = false

  constructor(view: View, dialect: DialectRules, read: ReadServices, notify: Notify) {
    this.#ids = read.journal?.ids ?? new Ids()
    this.#view = view
    this.#dialect = dialect
    this.#read = read
    this.#notify = notify
  }

  /**
   * Starts a subscription.
   *
   * @throws SubscriptionKindError; InvalidParamsError if the option does not fit the kind; DatabaseWriteError
   */
  subscribe(kind: string, option: unknown): MaybePromise<Hex> {
    const start = this.#startOf(kind)
    const id = this.#ids.nextSubscription()
    if (typeof id === 'number') return this.#start(quantity(id), start, option)
    return id.then((stored) => {
      if (this.#isClosed) throw new DisconnectedError()
      return this.#start(quantity(stored), start, option)
    })
  }

  /**
   * Starts a subscription of an earlier connection or run under its id. Events since then are not sent.
   *
   * @throws InvalidParamsError if the id was not given out, or its subscription is active; as {@link subscribe} does.
   */
  resume({ id, params: [kind, option] }: ResumedSubscription): void {
    if (this.#active.has(id) || !this.#ids.hasSubscription(Number(id))) {
      throw new InvalidParamsError('id', 'the id of a subscription that has ended')
    }
    this.#start(id, this.#startOf(kind), option)
  }

  #startOf(kind: string): Start {
    const kinds = this.#kindsOf()
    const start = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (start === undefined) throw new SubscriptionKindError(kind)
    return start
  }

  #start(id: Hex, start: Start, option: unknown): Hex {
    const stop = start(option, (emission) => this.#notify(id, emission))
    const release = this.#read.hold()
    this.#active.set(id, () => {
      stop()
      release()
    })
    return id
  }

  /** Ends a subscription. Returns whether there was one with this id. */
  unsubscribe(id: Hex): boolean {
    const stop = this.#active.get(id)
    if (stop === undefined) return false
    this.#active.delete(id)
    stop()
    return true
  }

  /** Ends all subscriptions, and refuses new ones. */
  close(): void {
    this.#isClosed = true
    for (const id of [...this.#active.keys()]) this.unsubscribe(id)
  }

  #kindsOf(): Readonly<Record<string, Start>> {
    return this.#view.kind === 'preconf' ? { ...this.#common, ...this.#preconf } : this.#common
  }

  /** Kinds on both views. */
  readonly #common: Readonly<Record<string, Start>> = {
    newHeads: (option, send) => {
      parse(NOTHING, option)
      const { feed } = this.#read
      return all(
        this.#onBlock((entry) => send(feed.header(entry))),
        this.#onRetracted(({ blocks, tip }) => {
          if (blocks.length > 0) send(feed.header(tip.head))
        }),
      )
    },
    logs: (option, send) => {
      const filter = parse(optional(subscribedLogs), option) ?? ALL_LOGS
      const { feed } = this.#read
      return all(
        this.#onBlock((entry) => feed.logs(entry, filter).forEach(send)),
        this.#onRetracted((retraction) => feed.removedLogs(retraction, filter).forEach(send)),
      )
    },
    newPendingTransactions: (option, send) => {
      const full = parse(optional(boolean), option) ?? false
      return this.#read.onTransaction((tx) => send(this.#read.feed.transaction(tx, full)))
    },
  }

  /** Kinds on the preconf view alone, including the names of OP-Stack nodes. */
  readonly #preconf: Readonly<Record<string, Start>> = {
    newPreconfTransactions: (option, send) => this.#preconfTransactions(option, send),
    newFlashblockTransactions: (option, send) => this.#preconfTransactions(option, send),
    pendingLogs: (option, send) => {
      const filter = parse(optional(subscribedLogs), option) ?? ALL_LOGS
      const { feed } = this.#read
      return all(
        this.#onPreconf((payload) => feed.addedLogs(payload, filter).forEach(send)),
        this.#onBlock((entry, wasPreconfirmed) => {
          if (!wasPreconfirmed) feed.logs(entry, filter).forEach(send)
        }),
        this.#onRetracted((retraction) => feed.removedPendingLogs(retraction, filter).forEach(send)),
      )
    },
    newPreconfBlocks: (option, send) => {
      parse(NOTHING, option)
      return this.#onPreconf((payload) => send(this.#read.feed.preconfBlock(payload, this.#dialect)))
    },
    newFlashblocks: (option, send) => {
      parse(NOTHING, option)
      return this.#onPreconf((payload) => send(this.#read.feed.blockAlone(payload, this.#dialect)))
    },
  }

  #preconfTransactions(option: unknown, send: Send): Stop {
    const { stages = false, filter, transactions = filter !== undefined } = parsePreconfOption(option)
    const added = this.#onPreconf((payload) =>
      this.#read.feed.addedTransactions(payload, transactions, filter).forEach(send),
    )
    return stages
      ? all(
          added,
          this.#onStage((stage) => send(new Emission(() => ({ ...stage })))),
        )
      : added
  }

  /** Listens to changes of stage that neither preconf blocks nor sealed blocks cause. */
  #onStage(listener: (stage: TransactionStage) => void): Stop {
    const { mempool, events, onTransaction } = this.#read
    const onDropped = (hash: Hash, reason: DropReason, message?: string) =>
      listener({
        hash,
        stage: reason === 'replaced' ? 'replaced' : 'dropped',
        reason,
        ...(message !== undefined && { message }),
      })
    const onWaiting = (hash: Hash) => {
      const stage = mempool.stageOf(hash)
      if (stage === 'preconfirmed') return
      if (stage !== undefined) listener({ hash, stage })
      // Without a record of a drop, the chain has reverted to a snapshot from before the send. With one, the event
      // `dropped` is emitted.
      else if (mempool.drops.reasonOf(hash) === undefined) onDropped(hash, 'removed')
    }
    return all(
      events.listen('dropped', onDropped),
      onTransaction(({ hash }) => onWaiting(hash)),
      this.#onRetracted(({ reason, transactions }) => {
        // Retractions by faults are not sent: nodes that lose pre-confirmations do not announce the loss.
        if (reason !== 'fault') transactions.forEach(onWaiting)
      }),
    )
  }

  #onBlock(listener: TipEvents['block']): Stop {
    return this.#read.events.listen('block', listener)
  }

  #onRetracted(listener: (retraction: TipRetraction) => void): Stop {
    return this.#read.events.listen('retracted', (retraction) => listener(this.#view.retracted(retraction)))
  }

  #onPreconf(listener: (payload: Payload) => void): Stop {
    return this.#read.events.listen('preconf', (payload) => this.#view.deliveries(payload).forEach(listener))
  }
}

type Send = (emission: Emission) => void
type Stop = () => void
type Start = (option: unknown, send: Send) => Stop

function all(...stops: readonly Stop[]): Stop {
  return () => {
    for (const stop of stops) stop()
  }
}

const NOTHING = optional<never, never>(
  scalar<never, never>('no value: this subscription has no options', () => undefined),
)

interface PreconfOption {
  /** Whether to send whole transactions; by default only with a filter. */
  readonly transactions?: boolean
  /** Whether to send all changes of stage. Not allowed with a filter, since changes of stage have no logs. */
  readonly stages?: boolean
  readonly filter?: LogFilter
}

const ALL_LOGS: LogFilter = { blocks: { kind: 'range' } }

const STAGES = { transactions: optional(boolean), stages: optional(boolean) }

const PRECONF_OPTION = refine(
  exact(object({ ...STAGES, ...LOG_QUERY }), [...Object.keys(STAGES), ...Object.keys(LOG_QUERY)]),
  ({ transactions, stages, ...query }, path): PreconfOption => {
    const options = { ...(transactions !== undefined && { transactions }), ...(stages && { stages }) }
    if (Object.keys(query).length === 0) return options
    if (stages) throw new SchemaError(`${path}.stages`, 'no value beside address or topics')
    return { ...options, filter: { ...ALL_LOGS, ...query } }
  },
)

function parsePreconfOption(option: unknown): PreconfOption {
  if (typeof option === 'object' && option !== null) return parse(PRECONF_OPTION, option)
  const transactions = parse(optional(boolean), option)
  return transactions === undefined ? {} : { transactions }
}

function parse<T>(param: Schema<T>, option: unknown): T {
  return parseParam(option, 1, param)
}
