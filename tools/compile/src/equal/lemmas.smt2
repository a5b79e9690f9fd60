(define-fun product_lemma ((a F) (b F) (r F)) Bool (and
 (= (fp.isNaN r) (or (fp.isNaN a) (fp.isNaN b) (and (fp.isZero a) (fp.isInfinite b)) (and (fp.isInfinite a) (fp.isZero b))))
 (=> (and (or (fp.isZero a) (fp.isZero b)) (not (fp.isNaN r))) (fp.isZero r))
 (=> (and (or (fp.isInfinite a) (fp.isInfinite b)) (not (fp.isNaN r))) (fp.isInfinite r))
 (=> (not (fp.isNaN r)) (= (fp.isNegative r) (xor (fp.isNegative a) (fp.isNegative b))))))

(define-fun total_lemma ((a F) (b F) (r F)) Bool (and
 (= (fp.isNaN r) (or (fp.isNaN a) (fp.isNaN b) (and (fp.isInfinite a) (fp.isInfinite b) (not (= a b)))))
 (=> (and (fp.isZero a) (not (fp.isZero b))) (= r b))
 (=> (and (fp.isZero b) (not (fp.isZero a))) (= r a))
 (=> (and (fp.isZero a) (fp.isZero b) (not (= a b))) (= r (_ +zero 8 24)))
 (=> (and (= a b) (fp.isZero a)) (= r a))))

(define-fun ratio_lemma ((a F) (b F) (r F)) Bool (and
 (= (fp.isNaN r) (or (fp.isNaN a) (fp.isNaN b) (and (fp.isZero a) (fp.isZero b)) (and (fp.isInfinite a) (fp.isInfinite b))))
 (=> (and (or (fp.isInfinite b) (fp.isZero a)) (not (fp.isNaN r))) (fp.isZero r))
 (=> (and (or (fp.isInfinite a) (fp.isZero b)) (not (fp.isNaN r))) (fp.isInfinite r))
 (=> (not (fp.isNaN r)) (= (fp.isNegative r) (xor (fp.isNegative a) (fp.isNegative b))))))

(define-fun root_lemma ((a F) (r F)) Bool (and
 (= (fp.isNaN r) (or (fp.isNaN a) (and (fp.isNegative a) (not (fp.isZero a)))))
 (= (fp.isZero r) (fp.isZero a))
 (=> (fp.isZero a) (= r a))
 (= (fp.isInfinite r) (and (fp.isInfinite a) (fp.isPositive a)))
 (=> (not (or (fp.isNaN r) (fp.isZero r))) (fp.isPositive r))))
