/**
 * Transfers states between anvil and preseal, in both directions and in every form: every account must read the same on
 * both, and the same transactions must have the same results afterwards.
 *
 * `npx tsx bench/stateFile.ts`, from the repository root after `npm run build`. Exits with 1 if anything differs.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Hex, hexToBytes } from 'viem'
import { engine as anvilEngine, isAnvilInstalled } from './engines/anvil.ts'
import type { EngineChain } from './engines/engine.ts'
import { engine as presealEngine } from './engines/preseal.ts'
import { recipient } from './recipients.ts'
import { alignColumns } from './table.ts'
import { account, MNEMONIC, type Plan, sign } from './transactions.ts'
import { tokenCall, tokenSetup } from './workload.ts'

/** An account in a state file. */
interface FileAccount {
  readonly nonce: number
  readonly balance: Hex
  readonly code: Hex
  readonly storage: Readonly<Record<Hex, Hex>>
}

interface Trip {
  readonly name: string
  readonly from: EngineChain
  readonly to: EngineChain
  /** The accounts of the file, which name the addresses and slots to read. */
  readonly accounts: Readonly<Record<string, FileAccount>>
}

const HOLDERS = 4
const ACCOUNTS = {
  mnemonic: MNEMONIC,
  addresses: Array.from({ length: HOLDERS }, (_, i) => account(i).address),
}
const WORD = `0x${'ff'.repeat(32)}`

if (!isAnvilInstalled()) throw new Error('anvil is missing: run `npm install` in bench/ first')
const folder = mkdtempSync(join(tmpdir(), 'preseal-bench-states-'))
const { address: token, plans } = tokenSetup(HOLDERS)
const setup = await sign(plans)
const next = await sign([...plansAfter(0, plans.length), ...plansAfter(1, 0)])

const results: string[][] = [['', 'accounts', 'slots', 'differences']]
for (const trip of [
  fromAnvil('anvil_dumpState', []),
  fromAnvil('anvil_dumpState, with historical states', [true]),
  fromAnvilFile('--dump-state, its bytes', (text) => `0x${Buffer.from(text).toString('hex')}`),
  fromAnvilFile('--dump-state, parsed', (text) => JSON.parse(text)),
  fromPreseal('anvil_loadState', false),
  fromPreseal('--load-state', true),
]) {
  const { name, from, to, accounts } = await trip
  const differences = [
    ...(await compare(from, to, accounts)),
    ...(await sendToBoth(from, to)),
    ...(await compare(from, to, { [token]: accounts[token.toLowerCase()]! })),
  ]
  const slots = Object.values(accounts).reduce((sum, { storage }) => sum + Object.keys(storage).length, 0)
  results.push([name, `${Object.keys(accounts).length}`, `${slots}`, `${differences.length}`])
  for (const difference of differences) console.error(`${name}: ${difference}`)
  if (differences.length > 0) process.exitCode = 1
  await Promise.all([from.close(), to.close()])
}
rmSync(folder, { recursive: true })
console.log(alignColumns(results))

/** A state from anvil's method. */
async function fromAnvil(name: string, params: readonly unknown[]): Promise<Trip> {
  const from = await anvilEngine.create({ accounts: ACCOUNTS })
  await populate(from)
  const dump = (await from.request('anvil_dumpState', params)) as Hex
  const to = await presealEngine.create({ accounts: ACCOUNTS })
  await to.request('anvil_loadState', [dump])
  return { name: `anvil to preseal: ${name}`, from, to, accounts: accountsOf(dump) }
}

/** A state that anvil writes on exit. @param form - converts the file for preseal. */
async function fromAnvilFile(name: string, form: (text: string) => unknown): Promise<Trip> {
  const file = join(folder, 'anvil.json')
  const writer = await anvilEngine.create({ accounts: ACCOUNTS, flags: ['--dump-state', file] })
  await populate(writer)
  await writer.close()
  const text = readFileSync(file, 'utf8')
  const from = await anvilEngine.create({ accounts: ACCOUNTS, flags: ['--load-state', file] })
  const to = await presealEngine.create({ accounts: ACCOUNTS })
  await to.request('anvil_loadState', [form(text)])
  return { name: `anvil to preseal: ${name}`, from, to, accounts: JSON.parse(text).accounts }
}

/** A state from preseal. @param byFlag - whether anvil starts with the file instead of loading it by its method. */
async function fromPreseal(name: string, byFlag: boolean): Promise<Trip> {
  const from = await presealEngine.create({ accounts: ACCOUNTS })
  await populate(from)
  const dump = (await from.request('anvil_dumpState', [])) as Hex
  const file = join(folder, 'preseal.json')
  writeFileSync(file, gunzipSync(hexToBytes(dump)))
  const to = await anvilEngine.create({ accounts: ACCOUNTS, flags: byFlag ? ['--load-state', file] : [] })
  if (!byFlag) await to.request('anvil_loadState', [dump])
  return { name: `preseal to anvil: ${name}`, from, to, accounts: accountsOf(dump) }
}

function accountsOf(dump: Hex): Record<string, FileAccount> {
  return JSON.parse(gunzipSync(hexToBytes(dump)).toString()).accounts
}

/** Creates a token with holders, and accounts of every kind that cheats can create. */
async function populate(chain: EngineChain): Promise<void> {
  for (const raw of setup) await chain.request('eth_sendRawTransaction', [raw])
  await chain.mine()
  const [rich, coded, delegated, counted, stored] = Array.from({ length: 5 }, (_, index) => recipient(index))
  await chain.request('anvil_setBalance', [rich, `0x${(2n ** 255n).toString(16)}`])
  await chain.request('anvil_setCode', [coded, '0x60ff60006000a100'])
  await chain.request('anvil_setCode', [delegated, `0xef0100${token.slice(2)}`])
  await chain.request('anvil_setNonce', [counted, '0x1ffff'])
  await chain.request('anvil_setCode', [stored, '0x00'])
  for (const [slot, value] of [
    [`0x${'00'.repeat(32)}`, WORD],
    [WORD, `0x${'0'.repeat(63)}1`],
  ]) {
    await chain.request('anvil_setStorageAt', [stored, slot, value])
  }
}

/** Compares the answers of both chains for every account of the file. */
async function compare(
  from: EngineChain,
  to: EngineChain,
  accounts: Readonly<Record<string, FileAccount>>,
): Promise<string[]> {
  const differences: string[] = []
  async function same(method: string, ...params: readonly unknown[]): Promise<void> {
    const [before, after] = await Promise.all(
      [from, to].map((chain) => chain.request(method, [...params, 'latest'])),
    )
    if (before !== after) differences.push(`${method} ${params.join(' ')}: ${before} became ${after}`)
  }
  for (const [address, { storage }] of Object.entries(accounts)) {
    await same('eth_getBalance', address)
    await same('eth_getTransactionCount', address)
    await same('eth_getCode', address)
    for (const slot of [...Object.keys(storage), '0x7']) await same('eth_getStorageAt', address, slot)
  }
  return differences
}

/** Sends the same transactions to both chains, and compares the results. */
async function sendToBoth(from: EngineChain, to: EngineChain): Promise<string[]> {
  const outcomes = await Promise.all(
    [from, to].map(async (chain) => {
      const hashes: unknown[] = []
      for (const raw of next) hashes.push(await chain.request('eth_sendRawTransaction', [raw]))
      await chain.mine()
      const outcome: unknown[] = []
      for (const hash of hashes) {
        const receipt = (await chain.request('eth_getTransactionReceipt', [hash])) as {
          status: Hex
          gasUsed: Hex
          logs: readonly { topics: readonly Hex[]; data: Hex }[]
        } | null
        if (receipt?.status !== '0x1') throw new Error(`the receipt of ${hash} is ${JSON.stringify(receipt)}`)
        const logs = receipt.logs.map(({ topics, data }) => [topics, data])
        outcome.push([hash, receipt.gasUsed, logs])
      }
      return JSON.stringify(outcome)
    }),
  )
  return outcomes[0] === outcomes[1] ? [] : [`the transactions after it: ${outcomes.join(' became ')}`]
}

/** Two transfers of the token by one account: to an address without tokens, then to a holder. */
function plansAfter(sender: number, nonce: number): Plan[] {
  return [recipient(99), account(2).address].map((to, index) => ({
    sender,
    nonce: nonce + index,
    gas: 60_000n,
    to: token,
    data: tokenCall(to, 1n),
  }))
}
