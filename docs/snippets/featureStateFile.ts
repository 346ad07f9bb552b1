/** A state file of anvil: one chain writes it, and a second one loads it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChain } from 'preseal'
import { type Hex, parseEther } from 'viem'

const folder = await mkdtemp(join(tmpdir(), 'preseal-'))
const file = join(folder, 'state.hex')
const stranger = `0x${'99'.repeat(20)}` as const

// #region state
const first = await createChain()
await first.setBalance(stranger, parseEther('5'))
await writeFile(
  file,
  await first.standard.request({ method: 'anvil_dumpState' }),
)
await first.close()

const second = await createChain()
const state = (await readFile(file, 'utf8')) as Hex
await second.standard.request({
  method: 'anvil_loadState',
  params: [state],
})
const balance = await second.standard.request({
  method: 'eth_getBalance',
  params: [stranger, 'latest'],
})
console.log(BigInt(balance) === parseEther('5')) // => true
// #endregion state
await second.close()
await rm(folder, { recursive: true })
