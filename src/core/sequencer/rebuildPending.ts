import { withBundles } from '../../ethereum/transaction.ts'
