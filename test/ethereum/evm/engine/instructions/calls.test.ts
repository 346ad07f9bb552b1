import { expect, test } from 'vitest'
import { MAX_BALANCE } from '../../../../../src/ethereum/state/account.ts'
import { hex } from '../../programs.ts'
import { createBench, SENDER, TARGET } from '../../setup.ts'

const HEIR = `0x${'dd'.repeat(20)}` as const

test('SELFDESTRUCT adds to the balance of its heir modulo 2^256, as go-ethereum does', async () => {
  const bench = await createBench('osaka', {
    [TARGET]: { balance: 5n, code: hex(`73${HEIR.slice(2)}ff`) },
    [HEIR]: { balance: MAX_BALANCE },
  })
  expect(await bench.include({ from: SENDER })).toMatchObject({ succeeded: true })
  expect(bench.state.account(HEIR)?.balance).toBe(4n)
  expect(bench.state.account(TARGET)?.balance).toBe(0n)
})
