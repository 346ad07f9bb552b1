import { describe, expect, it } from 'vitest'
import { ask, askAll, startScene } from '../scene.ts'

describe('eth_subscribe', () => {
  it('accepts the kinds of each view, and refuses others and invalid options (spec.md 14, 26)', async () => {
    const { chain } = await startScene()
    const kinds = [
      'newHeads',
      'logs',
      'newPendingTransactions',
      'newPreconfTransactions',
      'newFlashblockTransactions',
      'pendingLogs',
      'newPreconfBlocks',
      'newFlashblocks',
      'syncing',
      'toString',
      '__proto__',
      'constructor',
      '',
    ]
    expect(
      await askAll(chain, 'eth_subscribe', {
        ...Object.fromEntries(kinds.map((kind) => [kind || 'no name', [kind]])),
        'no kind': [],
        'a number': [1],
        'newHeads with option': ['newHeads', true],
        'newPreconfBlocks with option': ['newPreconfBlocks', {}],
        'newFlashblocks with option': ['newFlashblocks', {}],
        'logs with boolean': ['logs', true],
        'logs with a bad topic': ['logs', { topics: ['0x1'] }],
        'pendingLogs with a bad address': ['pendingLogs', { address: ['0x1'] }],
        'newPendingTransactions with object': ['newPendingTransactions', {}],
        'newPreconfTransactions with string': ['newPreconfTransactions', 'true'],
        'newFlashblockTransactions with number': ['newFlashblockTransactions', 1],
        'newPreconfTransactions with no boolean': ['newPreconfTransactions', { stages: 1 }],
        'newPreconfTransactions with an object': ['newPreconfTransactions', { stages: true }],
        'option of null': ['newHeads', null],
        'three params': ['newHeads', null, null],
      }),
    ).toMatchInlineSnapshot(`
      {
        "a number": {
          "both": "error -32602 invalid argument 0: expected the name of a subscription",
        },
        "constructor": {
          "both": "error -32601 no "constructor" subscription in eth namespace",
        },
        "logs": {
          "both": "0x2",
        },
        "logs with a bad topic": {
          "both": "error -32602 invalid argument 1.topics[0]: expected a 32-byte hash",
        },
        "logs with boolean": {
          "both": "error -32602 invalid argument 1: expected an object",
        },
        "newFlashblockTransactions": {
          "preconf": "0x5",
          "standard": "error -32601 no "newFlashblockTransactions" subscription in eth namespace",
        },
        "newFlashblockTransactions with number": {
          "preconf": "error -32602 invalid argument 1: expected a boolean",
          "standard": "error -32601 no "newFlashblockTransactions" subscription in eth namespace",
        },
        "newFlashblocks": {
          "preconf": "0x8",
          "standard": "error -32601 no "newFlashblocks" subscription in eth namespace",
        },
        "newFlashblocks with option": {
          "preconf": "error -32602 invalid argument 1: expected no value: this subscription has no options",
          "standard": "error -32601 no "newFlashblocks" subscription in eth namespace",
        },
        "newHeads": {
          "both": "0x1",
        },
        "newHeads with option": {
          "both": "error -32602 invalid argument 1: expected no value: this subscription has no options",
        },
        "newPendingTransactions": {
          "both": "0x3",
        },
        "newPendingTransactions with object": {
          "both": "error -32602 invalid argument 1: expected a boolean",
        },
        "newPreconfBlocks": {
          "preconf": "0x7",
          "standard": "error -32601 no "newPreconfBlocks" subscription in eth namespace",
        },
        "newPreconfBlocks with option": {
          "preconf": "error -32602 invalid argument 1: expected no value: this subscription has no options",
          "standard": "error -32601 no "newPreconfBlocks" subscription in eth namespace",
        },
        "newPreconfTransactions": {
          "preconf": "0x4",
          "standard": "error -32601 no "newPreconfTransactions" subscription in eth namespace",
        },
        "newPreconfTransactions with an object": {
          "preconf": "0x13",
          "standard": "error -32601 no "newPreconfTransactions" subscription in eth namespace",
        },
        "newPreconfTransactions with no boolean": {
          "preconf": "error -32602 invalid argument 1.stages: expected a boolean",
          "standard": "error -32601 no "newPreconfTransactions" subscription in eth namespace",
        },
        "newPreconfTransactions with string": {
          "preconf": "error -32602 invalid argument 1: expected a boolean",
          "standard": "error -32601 no "newPreconfTransactions" subscription in eth namespace",
        },
        "no kind": {
          "both": "error -32602 invalid argument count: expected 1 to 2, got 0",
        },
        "no name": {
          "both": "error -32601 no "" subscription in eth namespace",
        },
        "option of null": {
          "preconf": "0x14",
          "standard": "0x8",
        },
        "pendingLogs": {
          "preconf": "0x6",
          "standard": "error -32601 no "pendingLogs" subscription in eth namespace",
        },
        "pendingLogs with a bad address": {
          "preconf": "error -32602 invalid argument 1.address[0]: expected a 20-byte address",
          "standard": "error -32601 no "pendingLogs" subscription in eth namespace",
        },
        "syncing": {
          "both": "error -32601 no "syncing" subscription in eth namespace",
        },
        "three params": {
          "both": "error -32602 invalid argument count: expected 1 to 2, got 3",
        },
        "toString": {
          "both": "error -32601 no "toString" subscription in eth namespace",
        },
      }
    `)
  })

  it('numbers subscriptions per connection', async () => {
    const { chain } = await startScene()
    const other = chain.provider('preconf')
    expect([
      await ask(chain.preconf, 'eth_subscribe', ['newHeads']),
      await ask(chain.preconf, 'eth_subscribe', ['logs', { address: [] }]),
      await ask(other, 'eth_subscribe', ['newHeads']),
    ]).toEqual(['0x1', '0x2', '0x1'])
  })
})
