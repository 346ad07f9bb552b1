/**
 * The playground: a chain in a worker, and a page that shows it at work.
 *
 *   chain's events ─► story ─► once per frame, if something has changed: the views
 */
import type { DevAccount } from 'preseal'
import { startControls } from './controls.ts'
import { find, setText } from './dom.ts'
import { connectChosen, startForking } from './forking.ts'
import { plural, toNumber } from './format.ts'
import { database, startKeeping } from './keeping.ts'
import { Selection } from './selection.ts'
import { Sender } from './sender.ts'
import { Story } from './story.ts'
import { startTheme } from './theme.ts'
import { CallTree } from './views/callTree.ts'
import { Inspector } from './views/inspector.ts'
import { Latency } from './views/latency.ts'
import { Panes } from './views/panes.ts'
import { Status } from './views/status.ts'
import { Tables } from './views/tables.ts'
import { Timeline } from './views/timeline.ts'

const PACE = { blockTime: 2000, preconfInterval: 200 }

startTheme()
const story = new Story()
const selection = new Selection(story)
const status = new Status(story)
addEventListener('error', ({ error }) => status.fail(error))
addEventListener('unhandledrejection', ({ reason }) => status.fail(reason))

const names = new Map<string, string>()
const timeline = new Timeline(story, selection, PACE)
const inspector = new Inspector(selection, names)
const panes = new Panes()
const latency = new Latency(story)
const tables = new Tables(story, selection)

const worker = new Worker(new URL('./chain.worker.ts', import.meta.url), { type: 'module' })
const connected = await connectChosen(worker, { ...PACE, database })
const { chain, failure } = connected
chain.on('error', (error) => status.fail(error))
story.follow(chain)
const callTree = new CallTree(selection, chain)

const [alice, bob] = chain.accounts as [DevAccount, DevAccount]
names.set(alice.address, 'Alice').set(bob.address, 'Bob')
const sender = await Sender.start({
  provider: chain.live,
  privateKey: alice.privateKey,
  recipient: bob.address,
  story,
})
panes.connect(chain.standard, chain.preconf, {
  alice: alice.address,
  bob: bob.address,
  token: sender.token,
  get last() {
    return story.last!.hash
  },
})

const pauseLabel = find('#pause span', HTMLElement)
let running = true
startControls(
  {
    async send(amount) {
      status.say(`Sending ${plural(amount, 'transaction')}…`)
      status.watch(await sender.transfer(amount))
    },
    async fail() {
      status.say('Sending a transfer of more tokens than there are…')
      const hash = await sender.transferTooMuch()
      status.watch([hash])
      // The event has arrived before the answer.
      selection.choose({ kind: 'transaction', transaction: story.get(hash)! })
    },
    async pause() {
      running = !running
      setText(pauseLabel, running ? 'Pause' : 'Resume')
      await (running ? chain.start() : chain.stop())
      // The time to the next preconf block counts from here.
      story.preconfAt = performance.now()
      status.say(running ? 'The chain is running again.' : 'The chain is paused: step a tick, or seal.')
    },
    async tick() {
      const { index, block, added } = await chain.tick()
      const size = plural(block.transactions.length - added, 'new transaction')
      status.say(`Preconf block ${index} of block ${toNumber(block.number)}: ${size}.`)
    },
    async retract() {
      const hashes = story.retractable.map(({ hash }) => hash)
      if (hashes.length === 0) return status.say('Nothing is pre-confirmed now: send something first.')
      await chain.retract({ transactions: hashes })
      status.say(`${plural(hashes.length, 'transaction')} retracted: waiting again.`)
    },
    async seal() {
      const { block } = await chain.seal()
      const size = plural(block.transactions.length, 'transaction')
      status.say(`Block ${toNumber(block.number)} is sealed, with ${size}.`)
    },
  },
  (error) => status.fail(error),
)
if (failure === undefined) status.say('The chain is running. Send something.')
else status.fail(new Error(`No fork: ${failure.message}`))
const closeChain = async (): Promise<void> => {
  // A request in flight would be rejected.
  await panes.disconnect()
  await chain.close()
}
await startForking(connected, chain.standard, closeChain, (error) => status.fail(error))
// A fork is not kept.
if (!connected.isFork) await startKeeping(closeChain, (error) => status.fail(error))

let drawn = ''
requestAnimationFrame(function frame(now) {
  const current = `${story.version}/${selection.version}`
  if (current !== drawn) {
    drawn = current
    timeline.draw(running)
    inspector.draw()
    callTree.draw().catch((error) => status.fail(error))
    latency.draw()
    tables.draw()
    status.draw()
    void panes.ask()
  }
  timeline.move(now, running)
  requestAnimationFrame(frame)
})
