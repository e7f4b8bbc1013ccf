#include <dozer/dozer.hpp>
#include <gtest/gtest.h>
long fib(int n){ if(n<2) return n; auto [a,b]=dozer::join([&]{return fib(n-1);},[&]{return fib(n-2);}); return a+b; }
TEST(Smoke, All) {
  EXPECT_EQ(fib(25), 75025);
  dozer::thread_pool p(4);
  auto f = p.submit([]{return 3;}).then([](int x){return x*2.5;});
  EXPECT_EQ(f.get(), 7.5);
  auto v=p.broadcast([](dozer::broadcast_context c){return c.index()==1;});
  EXPECT_EQ(v, (std::vector<bool>{false,true,false,false}));
  int x=0; int& r = dozer::scope([&](dozer::spawner& s)->int&{ s.spawn([&]{x=1;}); return x;});
  EXPECT_EQ(r,1);
  EXPECT_EQ(&r,&x);
  auto [a,b,c]=dozer::join([]{return 1;},[]{},[]{return std::string("x");});
  EXPECT_EQ(a,1); EXPECT_EQ(c,"x"); (void)b;
}
