/** Signs transactions before measuring starts, and stores them on disk: signing is deterministic and slow. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, type Hex, parseGwei } from 'viem'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { CHAIN_ID } from './engines/engine.ts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
/** Transpiled children, signed transactions and results; safe to delete. */
export const BUILD = join(process.cwd(), 'bench', 'dist')

export interface Plan {
  /** Index of the sender's dev account. */
  readonly sender: number
  readonly nonce: number
  readonly gas: bigint
  readonly to?: Address
  readonly value?: bigint
  readonly data?: Hex
}

const accounts: HDAccount[] = []

export function account(index: number): HDAccount {
  accounts[index] ??= mnemonicToAccount(MNEMONIC, { addressIndex: index })
  return accounts[index]
}

/** The raw transactions of `plans`, in order. */
export async function sign(plans: readonly Plan[]): Promise<readonly Hex[]> {
  const key = JSON.stringify(plans, (_, field) => (typeof field === 'bigint' ? `${field}` : field))
  const file = join(BUILD, `signed-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))

  const signed: Hex[] = []
  for (const { sender, ...fields } of plans) {
    signed.push(
      await account(sender).signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        maxFeePerGas: parseGwei('100'),
        maxPriorityFeePerGas: parseGwei('1'),
        ...fields,
      }),
    )
  }
  mkdirSync(BUILD, { recursive: true })
  writeFileSync(file, JSON.stringify(signed))
  return signed
}
