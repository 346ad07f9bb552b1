/** The texts that the command line prints. Pure. */

import type { DevAccount, Hash } from '../../base/types.ts'
import { VERSION } from '../../base/version.ts'
import { LETTERS, OPTIONS } from './flags.ts'

/** A served chain, as the banner and `--json` show it. */
export interface Started {
  readonly url: string
  readonly preconfUrl: string
  readonly publicUrl?: string | undefined
  readonly publicPreconfUrl?: string | undefined
  readonly chainId: number
  readonly accounts: readonly DevAccount[]
  readonly fork?: ForkedPlace | undefined
}

/** The forked block, and the chain that has it. */
export interface ForkedPlace {
  readonly chainId: number
  readonly block: number
  readonly hash: Hash
}

/** Returns the text printed when a chain is served: its accounts and keys, as in anvil, and both URLs. */
export function banner(
  { url, preconfUrl, publicUrl, publicPreconfUrl, chainId, accounts, fork }: Started,
  /** The balance of each account in wei, and the accounts' mnemonic. */
  { balance, mnemonic }: { readonly balance: bigint; readonly mnemonic: string },
): string {
  const sections = [`preseal ${VERSION}`]
  if (accounts.length > 0) {
    const amount = formatEther(balance)
    const addresses = accounts.map(({ address }, i) => `(${i}) ${address} (${amount} ETH)`)
    const keys = accounts.map(({ privateKey }, i) => `(${i}) ${privateKey}`)
    sections.push(
      section('Available Accounts', addresses),
      section('Private Keys', keys),
      section('Wallet', [`Mnemonic:          ${mnemonic}`, "Derivation path:   m/44'/60'/0'/0/"]),
    )
  }
  sections.push(
    section('Chain ID', [`${chainId}`]),
    ...(fork === undefined ? [] : [section('Fork', forkLines(chainId, fork))]),
    section('Listening', [`standard   ${url}`, `preconf    ${preconfUrl}`]),
    ...(publicUrl === undefined && publicPreconfUrl === undefined
      ? []
      : [
          section('Listening for everyone', [
            ...(publicUrl === undefined ? [] : [`standard   ${publicUrl}`]),
            ...(publicPreconfUrl === undefined ? [] : [`preconf    ${publicPreconfUrl}`]),
          ]),
        ]),
  )
  return `${sections.join('\n\n')}\n`
}

/** Returns the text printed with `--json`: one line of JSON. */
export function jsonLine(started: Started): string {
  return `${JSON.stringify(started)}\n`
}

function forkLines(chainId: number, fork: ForkedPlace): readonly string[] {
  const block = `block ${fork.block} of chain ${fork.chainId}, ${fork.hash}`
  if (chainId !== fork.chainId) return [block]
  return [block, 'Signatures for this chain are valid on the forked one too: --chain-id sets a different id']
}

/** Returns the text of `--help`. */
export function help(): string {
  const rows = Object.entries(OPTIONS).map(([name, option]) => [
    flagOf(name, option.value),
    option.default === undefined ? option.help : `${option.help} (${option.default})`,
  ])
  const width = Math.max(...rows.map(([left]) => left!.length))
  const lines = rows.map(([left, meaning]) => `  ${left!.padEnd(width)}  ${meaning}`)
  return `Usage: preseal [options]
       preseal db info|verify|repair DIR   (see preseal db --help)

An EVM chain with 200 ms pre-confirmations, over HTTP and WebSocket.

Options:
${lines.join('\n')}
`
}

function flagOf(name: string, value: string | undefined): string {
  const letter = LETTERS[name]
  return `${letter === undefined ? '' : `-${letter}, `}--${name}${value === undefined ? '' : ` ${value}`}`
}

function section(title: string, lines: readonly string[]): string {
  return [title, '='.repeat(18), ...lines].join('\n')
}

function formatEther(wei: bigint): string {
  const decimals = (wei % ETHER).toString().padStart(18, '0').replace(/0+$/, '')
  return decimals === '' ? `${wei / ETHER}` : `${wei / ETHER}.${decimals}`
}

const ETHER = 10n ** 18n

interface Status {
  readonly block: number
  /** The index of the newest preconf block in the block under construction. */
  readonly preconf: number
  /** The number of waiting transactions, queued ones included. */
  readonly pool: number
  readonly rate: number
}

/** Returns the status line, without a line break. */
export function statusLine({ block, preconf, pool, rate }: Status): string {
  return `block ${block}  preconf ${preconf}  pool ${pool}  ${rate} tx/s`
}

/** Counts how many events the last second had. */
export class RateMeter {
  #samples: { readonly at: number; readonly count: number }[] = []

  /** Adds `count` events and returns the count of the last second. @param at - milliseconds; must not decrease */
  add(at: number, count: number): number {
    this.#samples.push({ at, count })
    this.#samples = this.#samples.filter((sample) => sample.at > at - 1000)
    return this.#samples.reduce((sum, sample) => sum + sample.count, 0)
  }
}
