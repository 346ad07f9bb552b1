import { describe, expect, it, onTestFinished } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { createManualClock } from '../../../src/base/manualClock.ts'
import type { Address } from '../../../src/base/types.ts'
import { whenLoaded } from '../../../src/base/waiting.ts'
import { attributesOf, toBlockEnv } from '../../../src/core/block/attributes.ts'
import { beginBlock, depositsOf, endBlock, requestsHash } from '../../../src/core/block/systemCalls.ts'
import { openCore } from '../../../src/core/open/core.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { Block } from '../../../src/ethereum/block.ts'
import { ALL_CHECKS, type BlockEnv } from '../../../src/ethereum/evm/executor.ts'
import { createHeader } from '../../../src/ethereum/header.ts'
import { isEmptyAccount } from '../../../src/ethereum/state/account.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { stateRoot, updateStateTrie } from '../../../src/ethereum/state/stateTrie.ts'
import { NEVER_DUE } from '../../suspending.ts'
import { externalChain, GENESIS, HEAD, toBytes } from './externalChain.ts'

const ether = 10n ** 18n

/** Pays the rewards and withdrawals at the end of a block, which the executor does not handle. */
function pay({ header, uncles, withdrawals = [] }: Block, { rules }: BlockEnv, overlay: Overlay): void {
  const credit = (address: Address, amount: bigint) => {
    overlay.addBalance(address, amount)
    const account = overlay.account(address)!
    if (rules.fork.spuriousDragon && isEmptyAccount(account)) overlay.deleteAccount(address)
  }
  for (const { address, amount } of withdrawals) credit(address, amount * 10n ** 9n)
  if (rules.fork.paris) return
  const reward = rules.fork.constantinople ? 2n * ether : rules.fork.byzantium ? 3n * ether : 5n * ether
  for (const uncle of uncles) {
    credit(uncle.miner, ((8n + uncle.number - header.number) * reward) / 8n)
  }
  credit(header.miner, reward + (BigInt(uncles.length) * reward) / 32n)
}

describe('reexecution', () => {
  it('gives the state and the receipts of stock @ethereumjs for blocks of every fork', async () => {
    const blocks = toBytes(await externalChain())
    const options = resolveOptions({
      genesis: GENESIS,
      blocks,
      clock: createManualClock(1_000_000),
      mining: 'manual',
    })
    const core = await openCore(options, {}, (error) => expect.unreachable(error.message))
    onTestFinished(() => core.close())
    const { base, canonical } = core.sequencer.tip
    const { ledger, config } = base
    const { executor, crypto, rules, depositContract } = config
    for (let number = 1n; number <= HEAD; number++) {
      const parent = ledger.get(canonical.at(number - 1n)!)!
      const { block } = ledger.get(canonical.at(number)!)!
      const attributes = attributesOf(block.header, block.rules.chainId)
      const at = { block: parent.block, hashAt: (n: bigint) => canonical.at(n) }
      const env: BlockEnv = { ...toBlockEnv(rules, at, attributes), difficulty: block.header.difficulty }
      const overlay = new Overlay(parent.state)
      beginBlock(env, parent.block.hash, attributes.beaconRoot, overlay)
      for (const [i, tx] of block.transactions.entries()) {
        const execution = { tx, env, state: overlay, checks: ALL_CHECKS }
        const { outcome, overlay: child } = await whenLoaded(() => executor.execute(execution))
        expect([number, i, outcome]).toMatchObject([number, i, { kind: 'included' }])
        if (outcome.kind !== 'included') return
        child.merge()
        const { succeeded, gasUsed, logs, contractAddress, effectiveGasPrice } = block.receipts[i]!
        expect(outcome).toMatchObject({ succeeded, gasUsed, logs, contractAddress, effectiveGasPrice })
      }
      pay(block, env, overlay)
      const deposits = depositsOf(
        block.receipts.flatMap(({ logs }) => logs),
        depositContract,
      )
      const requests = await endBlock(env, deposits, executor, overlay, NEVER_DUE)
      expect([
        number,
        createHeader({ requestsHash: requestsHash(requests) }, env.rules).requestsHash,
      ]).toEqual([number, block.header.requestsHash])
      const trie = updateStateTrie(parent.stateTrie!, overlay.changes(), crypto)
      expect([number, bytesToHex(stateRoot(trie, crypto))]).toEqual([number, block.header.stateRoot])
    }
  })
})
