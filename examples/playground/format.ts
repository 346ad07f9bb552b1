/** Numbers and hashes as people read them. */

import { formatEther } from 'viem'

const whole = new Intl.NumberFormat('en')

/** `0x1f` as 31; the quantities on this page fit in a number. */
export const toNumber = (quantity: string): number => Number(quantity)

/** 12345 as `12,345`. */
export const count = (value: number): string => whole.format(value)

/** Wei in ether, to the last digit: `10,006.1`. */
export function toEther(wei: bigint): string {
  const [ether, fraction] = formatEther(wei).split('.')
  return `${whole.format(BigInt(ether!))}${fraction === undefined ? '' : `.${fraction}`}`
}

/** `1 transaction`, `2 transactions`. */
export const plural = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** Milliseconds: `143 ms`, `1.24 s`; a dash if there is none yet. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return '–'
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`
}

/** `0x1234…cdef`. */
export const short = (hash: string): string => `${hash.slice(0, 6)}…${hash.slice(-4)}`
